"""Reports of findings for terminals, pages, code hosts and Word."""
