"""Chinese; docs/languages.md says what each file holds."""
