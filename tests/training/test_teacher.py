"""Learning neighbours from the vectors of another model."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch
import torch.nn.functional as F

from phage.attention import Layout, collate
from phage.errors import PhageError
from phage.objective import distill_loss
from phage.training.loop import Options, train
from phage.training.model import load_backbone
from phage.training.teacher import teacher_vectors

NO_GRAPH = {"graph": {"relations": []}}


@torch.inference_mode()
def encoded(backbone, data):
    """Mean-pooled vectors of all patents, graph-free."""
    batch = collate([data.projection(row, frozenset()) for row in range(len(data))], Layout(0))
    return batch.means(backbone.eval()(**batch.inputs(guided=False)).last_hidden_state).clone()


def test_a_teacher_is_followed_where_it_knows_the_patents(started, teacher_file, tmp_path):
    """Its own vectors cost nothing; strangers are left out; other vectors cost something."""
    path = tmp_path / "teacher.parquet"
    chosen = {"distill": 1.0, "teacher": str(path)}
    model, batch, data = started(**NO_GRAPH, backbone={"pooling": "mean"}, loss=chosen)
    own = F.normalize(encoded(load_backbone(model.recipe), data), dim=1).numpy()
    few = len(data) // 2
    teacher_file(path, [*data.numbers[:few], "unknown"], np.vstack([own[:few], own[:1]]))
    model.teacher, model.known = teacher_vectors(str(path), data)
    assert model.known.tolist() == [True] * few + [False] * (len(data) - few)
    assert model(batch, False)[4].item() == pytest.approx(0, abs=1e-4)
    noise = np.random.default_rng(1).normal(size=(len(data), 7)).astype(np.float16)  # any width
    teacher_file(path, data.numbers, noise)
    model.teacher, model.known = teacher_vectors(str(path), data)
    every = model(batch, False)[4]
    assert every > 0.01
    model.known[:] = False
    assert model(batch, False)[4] == 0


def test_a_teacher_teaches(recipe_of, data_of, teacher_file, tmp_path):
    """Trained beside a teacher, a model ends nearer to its neighbours than without."""
    path = tmp_path / "teacher.parquet"

    def distance(name, **loss):
        many = {"epochs": 10, "learning_rate": 1e-3, "save_every": 0}
        chosen = {"train": many, "backbone": {"pooling": "mean"}}
        recipe = recipe_of(**chosen, loss=loss)
        data = data_of(recipe)
        kinds = sorted({code[:4] for code in data.codes})
        # two subclasses each look alike to the teacher, which the drawn negatives deny
        side = [kinds.index(code[:4]) % 2 for code in data.codes]
        given = np.eye(2, dtype=np.float32)[side]
        teacher_file(path, data.numbers, given)
        train(recipe, data, tmp_path / name)
        end = load_backbone(recipe, str(tmp_path / name))
        vectors = encoded(end, data)
        same = torch.eye(len(data), dtype=torch.bool)
        return distill_loss(vectors, vectors, torch.from_numpy(given), same).mean().item()

    assert distance("taught", distill=5.0, teacher=str(path)) < 0.9 * distance("alone")


@pytest.mark.parametrize(
    ("made", "words"),
    [
        ("none", "no teacher vectors"), ("strangers", "no vector for any"), ("nan", "not finite"),
        ("empty", "no vector for any"), ("text", "damaged"), ("columns", "damaged"), ("gaps", "widths"),
        ("widths", "widths"), ("holes", "damaged"), ("numbers", "damaged"),
    ],
)  # fmt: skip
def test_a_teacher_of_no_use_is_refused(made, words, data_of, recipe_of, teacher_file, tmp_path):
    data = data_of(recipe_of())
    path = tmp_path / "teacher.parquet"
    rows = np.full((len(data), 2), np.nan if made == "nan" else 1.0, np.float32)
    vectors = {
        "gaps": [[1.0, 2.0], None], "widths": [[1.0], [1.0, 2.0]], "holes": [[1.0, None]] * 2,
        "numbers": [1.0, 2.0],
    }  # fmt: skip
    if made in {"strangers", "nan"}:
        teacher_file(path, data.numbers if made == "nan" else ["X"] * len(data), rows)
    elif made == "empty":
        teacher_file(path, [], rows[:0])
    elif made == "text":
        path.write_text("once upon a time")
    elif made == "columns":
        pq.write_table(pa.table({"number": ["X"]}), path)
    elif made in vectors:
        pq.write_table(pa.table({"number": data.numbers[:2], "vector": vectors[made]}), path)
    with pytest.raises(PhageError, match=words):
        teacher_vectors(path, data)


def test_a_run_goes_on_with_its_own_teacher_only(data_of, recipe_of, teacher_file, tmp_path):
    """The same place, other vectors: the losses would be others."""
    path = tmp_path / "teacher.parquet"
    short = {"max_steps": 2, "save_every": 1}
    recipe = recipe_of(train=short, loss={"distill": 1.0, "teacher": str(path)})
    data = data_of(recipe)
    given = np.random.default_rng(1).normal(size=(len(data), 3)).astype(np.float32)
    teacher_file(path, data.numbers, given)
    place = train(recipe, data, tmp_path / "run")
    assert train(recipe, data, place, Options(resume=True)) == place
    teacher_file(path, data.numbers, -given[::-1])
    with pytest.raises(PhageError, match="not the teacher"):
        train(recipe, data, place, Options(resume=True))
