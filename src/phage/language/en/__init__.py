"""English; docs/languages.md says what each file holds."""
