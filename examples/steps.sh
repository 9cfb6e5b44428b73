# Shared by the two demonstrations: show what is done, then do it.
started=$SECONDS
[ -t 1 ] || export COLUMNS=100 # tables need room where no terminal gives it

say() { printf '\n\033[36m%s\033[0m\n' "$*"; }
step() {
  printf '\033[1m$ %s\033[0m\n' "$*"
  "$@"
}
