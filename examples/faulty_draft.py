"""A Word draft with twenty faults, one of each kind, to try ``phage check`` on.

Run from the checkout: python examples/faulty_draft.py draft.docx
Then: phage check draft.docx --docx commented.docx
"""

from __future__ import annotations

import sys

from docx import Document

CLAIMS = (
    (
        "",
        "1. A bicycle trailer having a frame, a first wheel, a second wheel, a drawbar and two straps.",
    ),
    (
        "antecedent-missing",
        "2. The trailer of claim 1, wherein *the canopy* is attached to the frame.",
    ),
    ("antecedent-ambiguous", "3. The trailer of claim 1, wherein *the wheel* has a rim."),
    ("antecedent-number", "4. The trailer of claim 1, wherein *the strap* is elastic."),
    (
        "introduced-twice",
        "5. The trailer of claim 1, further comprising *a drawbar* having a hinge.",
    ),
    ("reference-missing", "6. The trailer *of claim 44*, wherein the drawbar is hollow."),
    ("reference-later", "7. The trailer *of claim 12*, wherein the frame is made of steel."),
    ("reference-self", "8. The trailer *of claim 8*, wherein the frame folds."),
    ("", "9. (Cancelled)"),
    ("reference-cancelled", "10. The trailer *of claim 9*, wherein the frame is welded."),
    (
        "multiple-not-alternative",
        "11. The trailer *of claims 1 and 2*, wherein the drawbar is curved.",
    ),
    ("", "12. The trailer of claim 1 or 2, wherein the drawbar is coated."),
    (
        "multiple-on-multiple",
        "13. The trailer *of claim 1 or 12*, wherein the drawbar is painted.",
    ),
    ("category-mismatch", "14. *The method* of claim 1, wherein the frame is bent."),
    ("dependent-not-narrowing", "15. The trailer *of claim 1*."),
    ("no-full-stop", "16. The trailer of claim 1, wherein the drawbar is *short*"),
    (
        "several-sentences",
        "17. The trailer of claim 1, wherein the drawbar is straight*. The* frame is red.",
    ),
    ("relative-term", "18. The trailer of claim 1, wherein the frame is *relatively thin*."),
    (
        "optional-language",
        "19. The trailer of claim 1, wherein the frame is made of metal, *preferably* aluminium.",
    ),
    ("trademark", "20. The trailer of claim 1, wherein each strap has a *Velcro* end."),
    ("omnibus", "21. A bicycle trailer *substantially as described herein*."),
    ("number-gap", "23. *The trailer of claim 1, wherein the drawbar* has a handle."),
    ("number-duplicate", "24. *The trailer of claim 1, wherein the frame* has a lamp."),
    ("", "24. The trailer of claim 1, wherein the frame has a bell."),
)
"""Rule and claim; the words of the fault stand between asterisks."""


def write(path: str) -> None:
    """Write the draft; faults begin and end inside runs, as in a file that was edited often."""
    document = Document()
    document.add_heading("Bicycle trailer", 1)
    document.add_paragraph("The invention concerns a trailer for goods and children.")
    document.add_paragraph("What is claimed is:")
    for _, claim in CLAIMS:
        text = claim.replace("*", "")
        paragraph = document.add_paragraph()
        half = len(text) // 2
        paragraph.add_run(text[:half])
        paragraph.add_run(text[half : half + 9]).italic = True
        paragraph.add_run(text[half + 9 :])
    document.save(path)


if __name__ == "__main__":
    write(sys.argv[1] if len(sys.argv) > 1 else "faulty-draft.docx")
