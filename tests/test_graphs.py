"""Graphs as inputs and outputs: grakel's kernels by brute force, beside new graphs, and in every estimator."""

import sys
from collections import Counter
from copy import deepcopy

import grakel
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold

from hilbertine import Regressor, Ridge, StructuredPredictor, kernels, losses

rng = np.random.default_rng(0)


def graph(atoms, extra=()):
    """A chain of atoms with some bonds more, as a tuple (edges, node labels, edge labels)."""
    bonds = [(i, i + 1) for i in range(len(atoms) - 1)] + list(extra)
    edges = {edge: 1 for i, j in bonds for edge in ((i, j), (j, i))}
    return edges, dict(enumerate(atoms)), {edge: "-=#"[(edge[0] * edge[1]) % 3] for edge in edges}


def drawn(n):
    atoms = ["".join(rng.choice(list("CNO"), rng.integers(2, 9))) for _ in range(n)]
    return [graph(word, [(0, len(word) - 1)] if len(word) > 3 and i % 2 else []) for i, word in enumerate(atoms)]


GRAPHS = drawn(12)
# Labels that the others have not.
STRANGE = [graph("SSP"), graph("COSC", [(0, 3)])]
SOUND = [
    None,
    grakel.WeisfeilerLehman(n_iter=2),
    grakel.WeisfeilerLehmanOptimalAssignment(n_iter=2),
    grakel.VertexHistogram(),
    grakel.EdgeHistogram(),
    grakel.ShortestPath(),
    grakel.RandomWalk(lamda=0.01),
    grakel.PyramidMatch(),
    grakel.CoreFramework(),
    grakel.GraphKernel("weisfeiler_lehman"),
]
every_sound = pytest.mark.parametrize("kernel", SOUND, ids=lambda kernel: type(kernel).__name__)


def neighbourhoods(graph, depth):
    """How often each tree of neighbours, up to this depth, occurs in a graph."""
    edges, labels = graph[:2]
    counts = Counter(labels.values())
    for _ in range(depth):
        labels = {
            node: (label, tuple(sorted((labels[j] for i, j in edges if i == node), key=repr)))
            for node, label in labels.items()
        }
        counts += Counter(labels.values())
    return counts


@pytest.mark.parametrize("depth", [1, 2, 5])
def test_weisfeiler_lehman_by_brute_force(depth):
    counts = [neighbourhoods(each, depth) for each in GRAPHS + STRANGE]
    expected = [[sum(a[u] * b[u] for u in a) for b in counts] for a in counts]
    kernel = kernels.Graphs(grakel.WeisfeilerLehman(n_iter=depth))
    everything = GRAPHS + STRANGE
    assert np.array_equal(kernel(everything, everything), expected)
    assert np.array_equal(kernel(STRANGE, GRAPHS), np.array(expected)[12:, :12])


@every_sound
def test_new_graphs_have_the_values_they_would_have_among_all(kernel):
    everything = GRAPHS + STRANGE
    kernel = kernels.Graphs(kernel).fit(GRAPHS)
    K = kernel(everything, everything)
    assert np.allclose(K, K.T, rtol=1e-12)
    assert np.linalg.eigvalsh(K)[0] >= -1e-10 * np.linalg.eigvalsh(K)[-1]
    for rows in ([0], [3, 12], [13, 12, 5, 0]):
        for columns in ([1, 2, 3], list(range(14)), [13]):
            block = kernel([everything[i] for i in rows], [everything[j] for j in columns])
            assert np.allclose(block, K[np.ix_(rows, columns)], rtol=1e-10)
    assert np.allclose(kernel.diagonal(everything), np.diag(K), rtol=1e-10)


def test_graphs_are_left_as_they_were_and_come_in_every_form_of_grakel():
    before = deepcopy(GRAPHS)
    kernel = kernels.Graphs()
    K = kernel(GRAPHS, GRAPHS)
    assert before == GRAPHS
    assert np.array_equal(kernel((each[:2] for each in GRAPHS), GRAPHS), K)
    assert np.array_equal(kernel([grakel.Graph(*each) for each in GRAPHS], GRAPHS), K)
    matrices = [
        (np.array([[int((i, j) in edges) for j in labels] for i in labels]), labels) for edges, labels, _ in GRAPHS
    ]
    assert np.array_equal(kernel(matrices, matrices), K)


def test_normalised_graphs():
    K = kernels.Normalised(kernels.Graphs())(GRAPHS, GRAPHS)
    assert np.allclose(K, grakel.WeisfeilerLehman(normalize=True).fit_transform(GRAPHS))


@pytest.mark.parametrize("kernel", [grakel.OddSth(), grakel.GraphletSampling()], ids=repr)
def test_a_kernel_whose_values_depend_on_the_company_is_refused(kernel):
    with pytest.raises(ValueError, match=rf"{type(kernel).__name__}.* other values beside other graphs"):
        kernels.Graphs(kernel).fit(GRAPHS)


@pytest.mark.parametrize(
    ("graphs", "said"),
    [
        ([3, 4], r"does not take these graphs \(TypeError.*give each as \(edges, node labels\)"),
        ([graph("CO"), ({}, {})], r"does not take these graphs \(ValueError"),
        ([graph("CO"), ()], r"shape \(1, 1\) for 2 and 2 graphs.* drop them"),
        ([({(0, 1): 1, (1, 0): 1},)] * 2, r"does not take these graphs"),
    ],
    ids=["numbers", "no labels", "empty", "edges alone"],
)
@pytest.mark.filterwarnings("ignore:Ignoring empty element")
def test_what_is_no_graph_is_named(graphs, said):
    with pytest.raises(ValueError, match=f"(?s){said}"):
        kernels.Graphs().fit(graphs)


@pytest.mark.filterwarnings("ignore:invalid value")
def test_values_that_are_not_finite_are_named():
    lonely = [(np.zeros((1, 1)), {0: "C"}), (np.ones((2, 2)) - np.eye(2), {0: "C", 1: "O"})]
    with pytest.raises(ValueError, match=r"not finite; .* kernels\.Normalised"):
        kernels.Graphs(grakel.ShortestPath(normalize=True))(lonely, lonely)
    K = kernels.Normalised(kernels.Graphs(grakel.ShortestPath()))(lonely, lonely)
    assert np.allclose(K, [[0, 0], [0, 1]])


@pytest.mark.parametrize("kernel", ["weisfeiler-lehman", kernels.Gaussian()], ids=repr)
def test_what_is_no_kernel_of_grakel_is_named(kernel):
    with pytest.raises(TypeError, match="is not a kernel of grakel; pass one such as"):
        kernels.Graphs(kernel)(GRAPHS, GRAPHS)


def test_without_grakel_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "grakel", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'hilbertine\[graphs\]'"):
        kernels.Graphs()(GRAPHS, GRAPHS)


def test_regression_from_graphs_is_that_of_their_gram():
    Y = np.array([[len(nodes), len(edges)] for edges, nodes, _ in GRAPHS], dtype=float)
    kernel = kernels.Normalised(kernels.Graphs())
    K = kernel(GRAPHS, GRAPHS)
    model = Regressor(losses.Huber(1.0), kernel, lam=1e-3, tol=1e-10).fit(GRAPHS, Y)
    other = Regressor(losses.Huber(1.0), "precomputed", lam=1e-3, tol=1e-10).fit(K, Y)
    assert model.dual_gap_ <= 1e-10
    assert np.allclose(model.predict(STRANGE), other.predict(kernel(STRANGE, GRAPHS)), atol=1e-6)


def test_parameters_of_grakel_are_searched():
    y = np.array([sum(label == "O" for label in nodes.values()) for _, nodes, _ in GRAPHS], dtype=float)
    model = Ridge(kernel=kernels.Graphs(grakel.WeisfeilerLehman()), lam=1e-6)
    assert clone(model).kernel.kernel.n_iter == 5
    grid = {"kernel__kernel__n_iter": [1, 4]}
    search = GridSearchCV(model, grid, cv=KFold(3), scoring="neg_mean_squared_error").fit(GRAPHS, y)
    # Counts of atoms are features of depth 0: deeper ones only distract.
    assert search.best_params_ == {"kernel__kernel__n_iter": 1}


def test_graphs_are_outputs_that_are_ranked():
    X = np.array([[len(nodes), sum(label == "O" for label in nodes.values())] for _, nodes, _ in GRAPHS], dtype=float)
    X += 0.01 * rng.standard_normal(X.shape)
    model = StructuredPredictor(
        losses.EpsilonSquare(0.01), kernels.Gaussian(10.0), kernels.Normalised(kernels.Graphs()), lam=1e-6
    ).fit(X, GRAPHS)
    assert model.predict(X) == GRAPHS
    assert model.rank(X[:1], [*STRANGE, GRAPHS[0]], k=1)[0][0][0] == GRAPHS[0]
