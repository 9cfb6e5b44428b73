"""Step 8b: vectors → scores, with where they came from.

``evaluate_vectors`` and ``TaskData`` need numpy, torch and scikit-learn only.
"""

from phage.evaluation.scoring import TaskScore, evaluate_vectors, score_vectors
from phage.evaluation.tasks import Classification, Clustering, Retrieval, TaskData

__all__ = [
    "Classification",
    "Clustering",
    "Retrieval",
    "TaskData",
    "TaskScore",
    "evaluate_vectors",
    "score_vectors",
]
