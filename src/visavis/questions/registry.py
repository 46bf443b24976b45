"""Questioners by name, for the command line and the benches."""

from __future__ import annotations

from pathlib import Path

from visavis.encoders.base import Encoder
from visavis.errors import BadInputError, NotFoundError
from visavis.questions.base import Questioner
from visavis.questions.concepts import ConceptBank
from visavis.questions.informed import InformedQuestioner, default_sources
from visavis.questions.llm import Endpoint, LanguageModelQuestioner
from visavis.questions.pool import PoolQuestioner, RandomQuestioner, RecordedQuestioner, read_dialogues
from visavis.questions.proposals import contrasts
from visavis.questions.stopping import NEVER_STOP

#: Recorded questioners and the published files they come from.
_RECORDED = {
    "human": "VisDial_v1.0_queries_val.json",
    "unanswered": "Unanswered_ChatGPT_BLIP2.json",
    "chatgpt": "ChatGPT_BLIP2.json",
}
NAMES = ("builtin", "builtin-closed", "builtin-stops", "pool", "random", "none", *_RECORDED)


def default_bank(encoder: Encoder, home: Path | str | None = None) -> ConceptBank:
    """The vocabulary that ships with the package, and every prompt that its questions need."""
    return ConceptBank(encoder, home=home, standing=contrasts.prompts())


def asking_when_it_pays(encoder: Encoder, home: Path | str | None = None) -> Questioner:
    """The questioner of the assistant; with a language model that words the questions where one is configured."""
    bank = default_bank(encoder, home)
    builtin = InformedQuestioner(default_sources(bank))
    endpoint = Endpoint.from_environment()
    return builtin if endpoint is None else LanguageModelQuestioner(endpoint, builtin, bank)


def make_questioner(name: str, bank: ConceptBank, dialogs: Path | None = None) -> Questioner | None:
    """The questioner of a name for comparing at equal rounds; None for ``none``.

    ``builtin`` asks as long as it may, ``builtin-closed`` without open questions, ``builtin-stops`` as in the
    assistant: only when it pays.
    """
    match name:
        case "none":
            return None
        case "builtin" | "builtin-closed" | "builtin-stops":
            sources = default_sources(bank, open_questions=name != "builtin-closed", pictures=False)
            questioner = InformedQuestioner(sources, None if name == "builtin-stops" else NEVER_STOP)
            questioner.name = name
            return questioner
        case "pool":
            return PoolQuestioner()
        case "random":
            return RandomQuestioner(bank.concepts)
    if name not in _RECORDED:
        raise BadInputError(f"There is no questioner '{name}'.", f"Known are: {', '.join(NAMES)}.")
    if dialogs is None:
        raise NotFoundError(f"The questioner '{name}' asks from recorded dialogues.", "Name their folder: --dialogs.")
    return RecordedQuestioner(name, read_dialogues(dialogs / _RECORDED[name]), bank)
