"""Replies to the question that waits: an option by name or by place, yes and no, no preference."""

from __future__ import annotations

import re
from dataclasses import replace

from visavis.language.commands import Answer, Chat, Command, Filter, Refine, parse_command
from visavis.language.context import Question
from visavis.language.rules.amounts import ORDINAL, to_ordinal
from visavis.language.rules.phrases import core
from visavis.language.rules.scene import Reading, Scene, read
from visavis.language.rules.turning import direction_in

_YES = re.compile(
    r"(?:(?:yes|yeah|yep|yup|ya|sure|ok|okay|of course|definitely|certainly|absolutely|please do|please|"
    r"right|correct|go (?:on|ahead|for it)|do it|do that|continue|that's (?:it|right|fine|good|the one|correct)|"
    r"looks? (?:good|right|fine|ok|okay)|it does|they do|there (?:is|are)|i do|indeed|exactly)[ ,.!]*)+"
)
_NO = re.compile(
    r"(?:(?:no|nope|nah+|not really|not at all|never|it doesn't|none|there (?:isn't|aren't)|i don't|"
    r"no thanks|rather not|wrong|(?:that's|that is|it's) (?:not it|wrong|not (?:right|the \w+|what i meant))|"
    r"please)[ ,.!]*)+"
)
_NO_PREFERENCE = re.compile(
    r"(?:i )?(?:don't (?:care|mind|know)|do not (?:care|mind|know)|have no (?:idea|preference)|"
    r"'ve no (?:idea|preference)|no (?:idea|preference)|no clue)\b.*|(?:it )?(?:doesn't|"
    r"does not) matter\b.*|(?:any|either|whatever|whichever|both|all)(?: (?:of them|is fine|will do|one|"
    r"are fine))?|skip(?: (?:it|this|that|the question))?|i'm not sure|not sure|dunno|up to you|"
    r"you (?:choose|decide)|surprise me|i've no (?:idea|preference)"
)
_NEVER_MIND = re.compile(r"(?:never ?mind|forget (?:it|that)|cancel|leave it|stop)\b.*")
_NEW_REQUEST = re.compile(
    r"^(?:(?:please|ok|okay|no|actually|can you|could you|i want to|let's|now|instead)[ ,]+)*(?:find|"
    r"search|look for|fetch|go back|rollback|undo|redo|reset|start over|rotate|crop|flip|blur|export|save|"
    r"show me (?!the (?:first|second|third))|make (?:it|the|this|that|her|him)\b|remove the background|increase|"
    r"decrease|"
    r"brighten|darken|sort|replace|invert|resize|add a)\b"
)
#: What is said of the picture in hand and answers no question about it.
_NEW_EDIT = re.compile(
    r"^(?:do the same|(?:the )?same (?:for|to|on|with)|apply|cut|put|turn|mirror|zoom|write|frame|paint|tint|sharpen|"
    r"straighten|enhance|compare|brighter|darker|give|trim|black and white|grayscale|sepia|select|take|tilt|shrink|"
    r"enlarge|scale|save|download|less \w|more \w|the (?:first|second|third|next|last) (?:one|picture))\b"
)
_REMARK = re.compile(
    r"^(?:(?:nice|great|perfect|thanks|hmm+|ok|okay|wow|cool|very good|not bad|hi|well|oh)[,.!]+ ?|"
    r"yes(?:, i like it)?\.+ )+(?=\S)"
)
_NONE = re.compile(r"(?:none|neither|nothing|something else|another|other)(?: of (?:them|these|those|the two|both))?")
_NONE_BUT = re.compile(
    rf"(?:no|{_NONE.pattern})[,.]? (?:but |i'd (?:prefer|like|rather have) |rather "
    r"|more like |more |maybe |make it |it's )+"
    r"(?:an? |the |in )?(?P<rather>[\w -]+)"
)
_NOTHING = re.compile(
    r"(?:nothing|no|that's|that is)(?: (?:else|more|all|it|other|further))*(?: really)?|nothing comes to mind"
)
_RATHER_LIKE = re.compile(r"^(?:it is |it's )?(?:more |rather |a bit )*(?:like )?(?:picture )?")
#: A message of so many words after an open question is a description, unless it denies or points at something.
_SENTENCE = 4
_POINTS = re.compile(
    rf"^(?:no|not|without|never|but)\b|#\d|\bturn \d|\b(?:the|that|this) (?:{ORDINAL})\b|\blike (?:this|that)\b"
)
_FILLER = frozenset(
    "the a an one ones please make it in i want i'd like to go with take would be think maybe side rather guess nice "
    "good great fine better best definitely some of them there should is are probably".split()
)


def _option_named(text: str, question: Question) -> str | None:
    labels = [label for label, _ in question.options]
    words = re.sub(
        r"^(?:the |a |an |i want |i'd like |make it |go with |take |in |to the |to )+|(?: one| ones| please|"
        r" side| option)+$",
        "",
        text,
    ).strip(" .!?")
    for label in labels:
        if words == label.lower() or text == label.lower():
            return label
    said = [word for word in re.sub(r"[,.!?]", " ", text).split() if word not in _FILLER]
    inside = [label for label in labels if " ".join(said) == label.lower()]
    if inside:
        return inside[0]
    if (place := re.fullmatch(rf"(?:number |#|option )?(\d{{1,2}})|({ORDINAL})", words)) and labels:
        number = int(place[1]) if place[1] else to_ordinal(place[2], len(labels))
        return labels[number - 1] if 1 <= number <= len(labels) else None
    if {"clockwise", "anticlockwise"} <= set(labels) and (way := direction_in(text)) is not None:
        return "clockwise" if way else "anticlockwise"
    return None


def answer(scene: Scene) -> Reading | None:
    """What a message says to the waiting question, or None when it asks for something else."""
    question = scene.context.question
    text = scene.message.strip(" .!?,")
    if question is None or not text:
        return None
    text = _REMARK.sub("", text).strip(" .!?,")
    text = text if text.startswith("yes") else core(text).strip(" .!?,")
    if label := _option_named(text, question):
        command = dict(question.options)[label]
        return read(_command(command, label), confidence=0.97)
    if _NEW_REQUEST.match(text):
        return None
    if _NEVER_MIND.fullmatch(text):
        return read(Chat("refusal"))
    if _NO_PREFERENCE.fullmatch(text):
        return read(Answer("no preference"), confidence=0.97)
    if question.key:
        return _to_questioner(text, question)
    if any(command for _, command in question.options):
        return None  # a choice of commands was offered; something else is a new request
    if {label for label, _ in question.options} == {"yes", "no"} and _NEW_EDIT.match(text):
        return None  # a doubtful edit is left as it is when another one is asked for
    text = re.sub(r"^i(?:'d)? prefer ", "", text)
    if re.fullmatch(r"none(?: of (?:them|these|those))?|neither(?: of them)?", text):
        return read(Answer("none"), confidence=0.97)
    if _YES.fullmatch(text):
        return read(Answer("yes"), confidence=0.97)
    if _NO.fullmatch(text):
        return read(Answer("no"), confidence=0.97)
    if re.fullmatch(r"thanks?|thank you|hello|hi|help|bye", text):
        return None
    said = re.sub(
        r"^(?:it is |it's |they are |i'd (?:prefer|like|say) |i (?:prefer|want) |i think (?:it is |it's )?|a |"
        r"an |the )+",
        "",
        text,
    )
    return read(Answer(said or text), confidence=0.85)


def _to_questioner(text: str, question: Question) -> Reading | None:
    """What a message says to a questioner: yes, no, none of them, or, where it asked openly, a description.

    What is none of these is read like any other message: "a brown one" and "no people" say themselves what they mean.
    """
    lines = dict(question.options)
    if question.form == "yes/no":
        said = "yes" if _YES.fullmatch(text) else "no" if _NO.fullmatch(text) or _NONE.fullmatch(text) else ""
        return read(_command(lines.get(said), said), confidence=0.97) if said else None
    if question.form == "choice" and (several := _several_named(text, question)):
        return read(*several, confidence=0.97)
    refused = [parse_command(line) for line in question.refusals] or [Answer("none")]
    if question.form == "choice" and (_NONE.fullmatch(text) or _NO.fullmatch(text)):
        return read(*refused, confidence=0.97)
    if question.form == "choice" and (found := _NONE_BUT.fullmatch(text)):
        return read(*refused, Refine(found["rather"]), confidence=0.9)
    if question.pictures and (label := _option_named(_RATHER_LIKE.sub("", text), question)):
        return read(_command(lines[label], label), confidence=0.97)
    if _NO.fullmatch(text) or _NOTHING.fullmatch(text):
        return read(Answer("no preference"), confidence=0.97)
    if question.form == "open" and len(text.split()) >= _SENTENCE and not _POINTS.search(text):
        return read(Answer(text), confidence=0.85)
    return None


def _several_named(text: str, question: Question) -> list[Command]:
    """The commands for several options at once: "red or blue", "both red and black"; none where not all are options."""
    parts = re.split(r",? (?:or|and) |, ", re.sub(r"^(?:either|both|any of|all of) ", "", text))
    labels = [_option_named(part, question) for part in parts]
    if len(parts) < 2 or None in labels:
        return []
    lines = [line for label, line in question.options if label in labels and line]
    commands = [parse_command(line) for line in lines]
    filters = [command for command in commands if isinstance(command, Filter) and command.comparison == "="]
    if filters and len(filters) == len(labels) and len({command.field for command in filters}) == 1:
        return [replace(filters[0], values=tuple(value for command in filters for value in command.values))]
    return [Refine(" or ".join(str(label) for label in labels))]


def _command(command: str | None, label: str) -> Command:
    return parse_command(command) if command else Answer(label)
