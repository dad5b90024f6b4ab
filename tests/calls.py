"""How everything public is called, oddly: each function draws one call, as (words, function without arguments)."""

import inspect

import numpy as np
from hypothesis import strategies as st
from sklearn.base import clone

import hilbertine
from examples import BASES, KERNELS, LOSSES, OPERATOR_KERNELS, SOLVERS, SPACES, dual_of, examples
from hilbertine import (
    assumptions,
    containers,
    datasets,
    kernels,
    losses,
    metrics,
    operator_kernels,
    solvers,
    spaces,
    stability,
)
from hilbertine.dual import Dual
from hilbertine.risk import Risk
from odd import COLLECTIONS, ODD, ORDINARY, PARAMETERS, A, nothing

T = A[:, :2]
K = np.exp(-((A[:, None] - A[None]) ** 2).sum(axis=2))
DECODERS = [spaces.Nearest(), spaces.InnerProduct(), spaces.LossTrick(), spaces.Clamp(), spaces.FromCallable(nothing)]
OPERATORS = [*examples(operator_kernels, operator_kernels.Operator), operator_kernels.FromGram(K)]
RADIAL = [each for each in LOSSES if isinstance(each, losses.Radial)]
SCALARS = [losses.MaxMargin(), losses.SquaredMaxMargin()]


def collection(draw, ordinary=0.5):
    """A collection by its name, odd or not."""
    pool = ORDINARY if draw(st.floats(0, 1)) < ordinary else ODD
    return draw(st.sampled_from(sorted(pool)))


def parameter(draw):
    return draw(st.sampled_from(sorted(PARAMETERS)))


def given_(name):
    return COLLECTIONS[name]() if name in COLLECTIONS else PARAMETERS[name]


def component(draw, instances, odd=0.4):
    """A component, often with one odd parameter: (words, function that makes it)."""
    instance = draw(st.sampled_from(instances))
    names = sorted(instance.get_params(deep=False))
    if not names or draw(st.floats(0, 1)) > odd:
        return f"{instance!r}"[:80], lambda: clone(instance, safe=False)
    name, value = draw(st.sampled_from(names)), parameter(draw)

    def make():
        found = clone(instance, safe=False)
        return found.set_params(**{name: PARAMETERS[value]})

    return f"{type(instance).__name__}({name}={value})", make


def method(draw, instances, methods):
    """One of the methods of a component, with odd arguments."""
    words, make = component(draw, instances)
    name = draw(st.sampled_from(sorted(methods)))
    count = methods[name].__code__.co_argcount - 1
    arguments = [collection(draw) for _ in range(count)]
    return f"{words}: {name}({', '.join(arguments)})", lambda: methods[name](make(), *map(given_, arguments))


def of_kernels(draw):
    return method(draw, KERNELS, {
        "call": lambda k, X, Z: k(X, Z),
        "diagonal": lambda k, X: k.diagonal(X),
        "gram": lambda k, X: k.fit(X).gram(),
        "cross": lambda k, X, Z: k.fit(X).cross(Z),
        "features": lambda k, X: k.fit(X).features(X) if hasattr(k, "features") else None,
        "plus": lambda k, X: k + X,
        "times": lambda k, X: k * X,
    })  # fmt: skip


def of_losses(draw):
    finite = {
        "value": lambda f, P, Y: f.value(P, Y),
        "conjugate": lambda f, W, Y: f.conjugate(W, Y),
        "prox": lambda f, W, Y: f.prox(W, Y, 0.5),
        "scaled": lambda f, X: f.at_scale(X),
        "trained": lambda f: f.check_trainable(),
        "fit": lambda f, Y: certificate(hilbertine.Regressor(f, max_iter=50), A, Y),
    }
    radial = {
        "phi": lambda f, t: f.phi(t),
        "slope": lambda f, t: f.slope(t),
        "profile": lambda f, t: f.profile(t),
        "inverse": lambda f, t: f.inverse(t),
    }
    return method(draw, *draw(st.sampled_from([(LOSSES, finite), (RADIAL, radial)])))


def of_scalar_functions(draw):
    return method(draw, SCALARS, {
        "value": lambda f, t: f.value(t),
        "conjugate": lambda f, t: f.conjugate(t),
        "prox": lambda f, t: f.prox(t, np.ones(6)),
    })  # fmt: skip


def of_steps(draw):
    words, make = component(draw, LOSSES, 0.0)
    step = parameter(draw)
    return f"{words}.prox(step={step})", lambda: make().prox(T.copy(), T + 1.0, PARAMETERS[step])


def of_spaces(draw):
    return method(draw, SPACES, {
        "encode": lambda s, Y: s.fit(Y).encode(Y),
        "encode others": lambda s, Y, Z: s.fit(Y).encode(Z),
        "measure": lambda s, Y: s.fit_measure(Y),
        "decode": lambda s, Y, C: s.fit(Y).decode(C),
        "decode among": lambda s, Y, Z: s.fit(Y).decode(s.encode(Y), candidates=Z),
        "norms": lambda s, Y, Z: s.fit(Y).norms(Z),
        "unfitted": lambda s, Y: s.encode(Y),
    })  # fmt: skip


def of_bases(draw):
    grid = np.linspace(0, 1, 9)
    curves = np.sin(np.outer(np.arange(1, 7), grid))
    return method(draw, BASES, {
        "values": lambda b, t: b.fit(grid, np.full(9, 1 / 9), curves[:, :, None])(t),
        "fit": lambda b, t: b.fit(t, np.ones(6), A[:, :1, None]),
        "L2": lambda b, Y: spaces.L2(basis=b).fit(Y).encode(Y),
        "regressor": lambda b: certificate(hilbertine.FunctionalRegressor(basis=b), A, curves),
    })  # fmt: skip


def of_operators(draw):
    return method(draw, OPERATORS, {
        "matrix": lambda o, Y: o.matrix(Y),
        "fit": lambda o, Y: certificate(
            hilbertine.Regressor(kernel=operator_kernels.Separable(kernels.Gaussian(0.5), o)), A, Y
        ),
    })  # fmt: skip


def of_operator_kernels(draw):
    return method(draw, OPERATOR_KERNELS, {
        "gram": lambda k, X, Y: k.fit(X, Y).gram() @ T,
        "cross": lambda k, X: operator_kernels.apply(k.fit(A, T).cross(X), k.condense(T)),
        "product": lambda k, W: k.fit(A, T).gram() @ W,
        "fit": lambda k, Y: certificate(hilbertine.Regressor(kernel=k, max_iter=50), A, Y),
        "plus": lambda k, X: k + X,
        "times": lambda k, X: X * k,
    })  # fmt: skip


def of_solvers(draw):
    words, make = component(draw, SOLVERS, 0.6)
    loss = draw(st.sampled_from([losses.Square(), losses.Huber(0.5), losses.EpsilonNorm(0.1)]))
    odd = parameter(draw) if draw(st.booleans()) else None
    start = draw(st.sampled_from(["None", *sorted(COLLECTIONS)]))
    which = draw(st.sampled_from(["dual", "lam", "start", "plain", "estimator"]))

    def call():
        solver = make()
        if which == "estimator":
            return certificate(hilbertine.Regressor(loss, solver=solver), A, T)
        dual = (
            Dual(operator_kernels.Kronecker.dense(K, 2), Risk(loss, T), PARAMETERS[odd])
            if (which == "lam" and odd)
            else dual_of(K, loss, T, 0.1)
        )
        found = solver.solve(PARAMETERS[odd] if which == "dual" and odd else dual,
                             COLLECTIONS[start]() if which == "start" and start != "None" else None)  # fmt: skip
        return found.gap, found.W

    return f"{words}.solve: {loss}, {which}, {odd}, start {start}", call


def of_paths(draw):
    dual = dual_of(K, losses.Huber(0.5), T, 0.1)
    tools = {
        "path lams": lambda x: [s.gap for *_, s in solvers.path(dual, x, [losses.Huber(0.5)])],
        "path losses": lambda x: [s.gap for *_, s in solvers.path(dual, [0.1], x)],
        "path loss": lambda x: [s.gap for *_, s in solvers.path(dual, [0.1], [x])],
        "path lam": lambda x: [s.gap for *_, s in solvers.path(dual, [x], [losses.Square()])],
        "path recipe": lambda x: [s.gap for *_, s in solvers.path(dual, [0.1], [losses.Square()], x)],
        "path dual": lambda x: list(solvers.path(x, [0.1], [losses.Square()])),
        "ridge_path": lambda x: [W for W, _ in solvers.ridge_path(dual, x)],
        "ridge_path dual": lambda x: list(solvers.ridge_path(x, [0.1])),
        "epsilon_max": solvers.epsilon_max,
        "kappa_max": solvers.kappa_max,
        "recipe solver": lambda x: solvers.Recipe(x).solve(dual).gap,
        "recipe tol": lambda x: solvers.Recipe(tol=x, max_iter=100).solve(dual).gap,
        "recipe max_iter": lambda x: solvers.Recipe(max_iter=x).solve(dual).gap,
        "recipe callback": lambda x: solvers.Recipe(callback=x).solve(dual).gap,
        "residual_scale": solvers.residual_scale,
        "ridge_residuals": solvers.ridge_residuals,
        "refit_residuals": lambda x: solvers.refit_residuals(dual, x),
        "removal_changes": lambda x: solvers.removal_changes(dual, x),
        "choose": lambda x: solvers.choose(x, dual),
        "risk loss": lambda x: Risk(x, T).value(T),
        "risk targets": lambda x: Risk(losses.Square(), x).value(x),
        "dual gram": lambda x: Dual(x, Risk(losses.Square(), T), 0.1).gap(T),
        "dual risk": lambda x: Dual(operator_kernels.Kronecker.dense(K, 2), x, 0.1).gap(T),
    }
    name = draw(st.sampled_from(sorted(tools)))
    value = collection(draw, 0.2) if draw(st.booleans()) else parameter(draw)
    return f"{name}: {value}", lambda: tools[name](given_(value))


SETS = hilbertine.ConformalRegressor(hilbertine.Ridge(), 0.5, "cv+", 2).fit(A, T).predict_set(A)


def of_functions(draw):
    """Functions of modules, all arguments ordinary but one or two."""
    space = spaces.Euclidean().fit(T)
    ordinary = {
        metrics.coverage: (SETS, T, None), metrics.set_size: (SETS, "median"),
        metrics.averaged: (T[:, 0], "mean", None), metrics.exact_match: (T > 0, T, 0.5),
        metrics.hamming: (T > 0, T, 0.5), metrics.mean_squared_norm: (space, T, T + 1, "mean", None),
        metrics.r2: (T, T + 0.1, None), metrics.squared_norms: (space, T, T + 1),
        metrics.share_of_variance: (spaces.L2().fit(A), A, A + 0.1, None),
        stability.function_norm: (losses.Huber(1.0), 0.1, 1.0), stability.constants: (losses.Huber(1.0), 0.1, 1.0, 1.0),
        stability.stability: (losses.Huber(1.0), 0.1, 1.0, 1.0, 10),
        stability.generalisation_bound: (0.1, 0.1, 1.0, 10, 0.05),
        stability.report: (losses.Huber(1.0), 0.1, 1.0, 1.0, 10, 0.1, 0.05),
        assumptions.check_admissible: (losses.Huber(1.0),), assumptions.invariance_defects: (T, T, None),
        assumptions.check_invariance: (T, T, None),
        containers.distinct: (T,), containers.identities: (T,), containers.read_curves: (A, "The curves", None, None),
        datasets.make_curves: (4, 11, 0.1, 0), datasets.make_spectra: (8, 0),
        datasets.load_yeast: ("test",), datasets.load_lip: (None,), datasets.load_metabolites: (None,),
        datasets.load_drugs: (30, "path"), datasets.load_spectra: ("nowhere.msp", None),
        datasets.fingerprints: (["CCO", "CCC"], "morgan", 64, None, False), datasets.properties: (["CCO", "CC"],),
        datasets.outliers.append_flipped: (A, T), datasets.outliers.add_spikes: (A, T),
        datasets.outliers.replace_shapes: (A, A), datasets.outliers.permute_outputs: (A, T),
        datasets.outliers.flip_labels: (A, (T > 0) * 1.0),
        datasets.outliers.gaussian_process: (np.linspace(0, 1, 5), 3, None, 0),
        kernels.as_kernel: (kernels.Linear(),), operator_kernels.as_operator_kernel: (None,),
    }  # fmt: skip
    functions = sorted(ordinary, key=lambda f: f"{f.__module__}.{f.__name__}")
    function = draw(st.sampled_from(functions))
    arguments = list(ordinary[function])
    at = draw(st.integers(0, len(arguments) - 1))
    value = collection(draw, 0.0) if draw(st.booleans()) else parameter(draw)
    names = list(inspect.signature(function).parameters)
    return f"{function.__name__}({names[at]}={value})", lambda: function(
        *arguments[:at], given_(value), *arguments[at + 1 :]
    )


def decoding(decoder):
    return hilbertine.StructuredPredictor(decoder=decoder)


ESTIMATORS = [
    hilbertine.Regressor(), hilbertine.Ridge(), hilbertine.EpsilonRidge(), hilbertine.HuberRegressor(),
    hilbertine.EpsilonSVR(), hilbertine.HuberRegressor(missing="ignore"), hilbertine.FunctionalRegressor(),
    hilbertine.FunctionalRegressor(losses.Huber(), basis=spaces.Fourier(3), missing="least-squares"),
    hilbertine.StructuredPredictor(), *map(decoding, DECODERS), hilbertine.Ridge(kernel="precomputed"),
    hilbertine.Regressor(space=spaces.RKHS()), hilbertine.KernelAutoencoder(1, max_iter=3),
    hilbertine.RegressorCV(hilbertine.Ridge(), [0.1, 1.0], cv=2),
    hilbertine.RegressorCV(hilbertine.HuberRegressor(), [0.1], {"kappa": [0.5]}, cv=2),
]  # fmt: skip


def certificate(model, X, y, **named):
    """A fit, and the numbers that must be there."""
    model.fit(X, y, **named)
    best = getattr(model, "best_estimator_", model)
    return best.dual_gap_, best.dual_coef_


def of_estimators(draw):
    words, make = component(draw, ESTIMATORS, 0.35)
    names = [collection(draw, 0.75) for _ in range(3)]
    weights = draw(st.sampled_from(["None", "1-d", *sorted(COLLECTIONS)])) if draw(st.floats(0, 1)) < 0.1 else "None"
    what = draw(st.sampled_from(USES))

    def call():
        X, Y, Z = map(given_, names)
        model = make()
        named = (
            {}
            if weights == "None" or "sample_weight" not in inspect.signature(model.fit).parameters
            else {"sample_weight": COLLECTIONS[weights]()}
        )
        found = certificate(model, X, Y, **named)
        if what == "fit":
            return found
        use = getattr(model, what, None) or getattr(getattr(model, "best_estimator_", model), what, None)
        if use is None:
            return found
        wanted = [p for p in inspect.signature(use).parameters.values() if p.default is p.empty]
        return found, use(*([Z, Y][: len(wanted)] if wanted else []))

    return f"{words}.fit({names[0]}, {names[1]}, weights {weights}).{what}({names[2]})", call


USES = ["fit", "predict", "embed", "score", "suspects", "stability_report", "transform", "inverse_transform",
        "reconstruction_error", "rank", "positions", "decision_function"]  # fmt: skip


PREDICTORS = [
    hilbertine.Ridge(),
    hilbertine.FunctionalRegressor(),
    hilbertine.StructuredPredictor(),
]
CONFORMAL = [
    hilbertine.ConformalRegressor(estimator, 0.5, method, 2, score)
    for estimator in PREDICTORS
    for method in ("split", "cv+", "jackknife+")
    for score in ("norm", "ellipsoid", "band", "local")
]  # fmt: skip
ASKED = ["predict", "embed", "predict_set", "contains", "coverage_curve", "score", "conformalize", "plot_band"]


def of_conformal(draw):
    """Odd rows, odd groups and weights, odd questions."""
    words, make = component(draw, CONFORMAL, 0.3)
    names = [collection(draw, 0.75) for _ in range(4)]
    what, odd = draw(st.sampled_from(ASKED)), draw(st.sampled_from(["", "groups", "sample_weight", "confidence_level"]))
    value = parameter(draw)

    def call():
        X, Y, Z, V = map(given_, names)
        model = make()
        extra = {odd: V} if odd in ("groups", "sample_weight") else {}
        model.fit_conformalize(X, Y, **extra)
        level = (
            {"confidence_level": PARAMETERS[value]}
            if odd == "confidence_level" and what in ("predict_set", "contains")
            else {}
        )
        if what in ("predict", "embed"):
            return getattr(model, what)(Z)
        if what in ("predict_set", "plot_band"):
            found = getattr(model, what)(Z, **level, **({"groups": V} if odd == "groups" else {}))
            sizes = (
                [each.size for each in (found if isinstance(found, list) else [found])]
                if what == "predict_set"
                else None
            )
            return sizes
        found = getattr(model, what)(Z, Y, **level)
        return None if what == "conformalize" else found

    return f"{words}.fit_conformalize({names[0]}, {names[1]}, {odd} {names[3]} {value}).{what}({names[2]})", call


def of_scorers(draw):
    scorers = {
        "neg_squared_norm": metrics.neg_squared_norm, "neg_hamming": metrics.neg_hamming,
        "exact_matches": metrics.exact_matches, "rkhs_distance": metrics.rkhs_distance,
        "top_k": metrics.top_k(2), "mean_reciprocal_rank": metrics.mean_reciprocal_rank(),
    }  # fmt: skip
    name, X, Y, odd = draw(st.sampled_from(sorted(scorers))), collection(draw), collection(draw), parameter(draw)
    fitted = draw(st.booleans())
    return f"{name}({fitted or odd}, {X}, {Y})", lambda: scorers[name](
        hilbertine.Ridge().fit(A, T > 0) if fitted else PARAMETERS[odd], given_(X), given_(Y)
    )


def of_top_k(draw):
    k, candidates = parameter(draw), collection(draw, 0.0)
    return f"top_k({k}, {candidates})", lambda: metrics.top_k(PARAMETERS[k], given_(candidates))(
        hilbertine.StructuredPredictor().fit(A, T), A, T
    )


BROKEN = {
    "a.msp": ["Name: a\n50 1\n60 2\n", "Name: a\nPrecursorMZ: inf\nNum Peaks: 1\n50 1\n", "Num Peaks: x\n", "50 1\n",
              "Name: a\nPrecursorMZ: 100\nNum Peaks: 2\n50 -1\n60 1\n", "Name: a\nNum Peaks: 1\nword word\n", ""],
    "a.mgf": ["BEGIN IONS\nPEPMASS=100\n50 1\n", "50 1\nEND IONS\n", "BEGIN IONS\nPEPMASS=0\n50 1\nEND IONS\n",
              "BEGIN IONS\nPEPMASS=\n50 1\nEND IONS\n", "BEGIN IONS\nPEPMASS=100\na b\nEND IONS\n", "\x00\x01",
              "BEGIN IONS\nPEPMASS=100\nSMILES=nonsense\n50 1\nEND IONS\n", "BEGIN IONS\n=\n\nEND IONS\n"],
    "a.txt": ["ACCESSION: 1\n//\n", "PK$PEAK: m/z int.\n  50 1\n//\n", "PK$PEAK: a\n  x\n", "//\n//\n"],
    "a.csv": ["formula,smiles\nC2H6O,\n", "a,b\n1,2\n", ""],
}  # fmt: skip


def of_files(draw):
    """Files that are broken, each given to the loader of its kind."""
    name = draw(st.sampled_from(sorted(BROKEN)))
    text = draw(st.sampled_from(BROKEN[name]))
    cut = draw(st.integers(0, len(text)))
    text = text[:cut] + draw(st.sampled_from(["", "\n", "=", ":", "\ufeff", "é", "NaN"])) + text[cut:]

    def call():
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)
        if name != "a.csv":
            return len(datasets.load_spectra(name).spectra)
        with open("b.msp", "w", encoding="utf-8") as file:
            file.write("Name: a\nPrecursorMZ: 47\nFormula: C2H6O\nNum Peaks: 1\n50 1\n")
        return len(datasets.load_spectra("b.msp", name).spectra)

    return f"load_spectra({name}: {text!r})", call


def of_commands(draw):
    """The command line, as far as it is quick."""
    words = ["reproduce", draw(st.sampled_from(["losses", "stability", "nonsense", "", "all "]))]
    for option in ("--out", "--data", "--jobs", "--quick", "--nonsense", "--authors"):
        if draw(st.floats(0, 1)) < 0.25:
            words.append(option)
            if option not in ("--quick", "--authors"):
                words.append(draw(st.sampled_from(["0", "-1", "x", "1", "/dev/null", "/dev/null/x", "", "1e9"])))
    words += [] if "--quick" in words else ["--quick"]
    odd = draw(st.sampled_from([None, [], ["--version"], ["--help"], ["nonsense"], ["reproduce"]]))

    def call():
        from hilbertine import cli

        return cli._app()(words if odd is None else odd, standalone_mode=False)

    return f"hilbertine {' '.join(words if odd is None else odd)}", call


CALLS = [of_kernels, of_losses, of_scalar_functions, of_steps, of_spaces, of_bases, of_operators, of_operator_kernels,
         of_solvers, of_paths, of_functions, of_functions, of_estimators, of_estimators, of_estimators, of_conformal,
         of_conformal, of_scorers,
         of_top_k, of_files, of_commands]  # fmt: skip
