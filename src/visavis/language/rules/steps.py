"""Steps back and forth: undo, redo, reset, rollback, save, the same again on other pictures."""

from __future__ import annotations

import re

from visavis.language.commands import Command, Export, Redo, Repeat, Reset, Rollback, Shown, Undo
from visavis.language.rules.amounts import COUNT, ORDINAL, to_number, to_ordinal
from visavis.language.rules.pointing import numbers_pointed_at
from visavis.language.rules.scene import Reading, Scene, read

_TURN = r"(?:turn|step|round|message|stage)"
_TURN_NUMBER = re.compile(
    rf"\b{_TURN} (?:number |no\.? |#)?(\d{{1,4}}|one|two|three|four|five|six|seven|eight|nine|ten)\b|"
    rf"\b(?:the )?({ORDINAL}) {_TURN}\b"
)
_ROLLBACK = re.compile(
    r"\b(?:go(?:ing)?|get|take (?:me|us)|come|return|jump|switch|roll|revert|rewind|bring (?:me|us)|"
    r"move)\b.*\b(?:back )?to\b|\brollback\b|^back to\b|\b(?:bring back|restore|show)\b.*\b(?:turn|round|"
    r"step) (?:\d|one|two|three)|\bundo (?:to|until)\b"
)
_PREFERRED = re.compile(
    r"\bpreferred\b|\b(?:liked|loved)\b.*|\b(?:was|were) (?:much |a lot |way )?(?:better|nicer|closer|"
    r"best)\b|\bcompared (?:to|with)\b.*\bprefer\b|\b(?:would|i'd) rather (?:choose|have|take|go)\b|"
    r"\bstill prefer\b|\bprefer\b"
)
_BEFORE = re.compile(r"\b(?:before|previous|earlier|prior|last (?:results?|ones|pictures|images|time|search))\b")
_RESULTS = re.compile(r"\b(?:results?|ones|pictures|images|selection|list|search|those|before)\b")
_BEGINNING = re.compile(
    r"\b(?:beginning|start|(?:very )?first (?:results?|ones|pictures|search|query)|initial (?:results?|"
    r"ones|search))\b"
)
_AGO = re.compile(rf"\b({COUNT}) (?:{_TURN}s?|searches|times) (?:ago|back|earlier|before)\b")
_UNDO = re.compile(
    r"\bundo\b|^revert$|^back$|^(?:oops|scratch (?:that|it)|take it back|forget that last (?:one|change|edit))\b|"
    r"\btake (?:that|it|this) back\b|\b(?:revert|reverse|cancel|discard|drop|"
    r"withdraw)\b.*\b(?:last|that|this|it|change|edit|step)\b|\bone step back\b"
    rf"|^(?:please |ok |let's |can you |could you |we )*(?:go|step) back(?: ({COUNT}) steps?)?(?: please)?$"
)
_UNDO_COUNT = re.compile(rf"\b(?:last|previous) ({COUNT})\b|\b({COUNT}) (?:steps?|changes|edits|times)\b")
_TWICE = re.compile(r"\b(twice|thrice)\b")
_REDO = re.compile(r"\bredo\b|\bundo the undo\b|\bput (?:it|that) back\b")
#: Without an edit to repeat, what was undone is meant.
_AGAIN = re.compile(r"(?:do (?:it|that) )?(?:again|once more)")
_RESET_EDITS = re.compile(
    r"\b(?:back to|restore|revert to|return to|reset to|show|want|get)\b.*\boriginal\b|\b(?:remove|undo|"
    r"discard|drop|clear|revert) (?:all|every|my)\b.*\b(?:edit|change|effect|adjustment|filter)s?\b"
    r"|\breset (?:the |this )?(?:image|picture|photo|edits?)\b|\bundo (?:everything|all)\b|"
    r"\boriginal (?:image|picture|photo|version)\b$|\b(?:start|begin) (?:again|over) (?:with|from) the original\b|"
    r"^(?:the |my )?original(?: one)?(?: please)?$"
)
_RESET = re.compile(
    r"\bstart(?:ing)? (?:over|again|from scratch|afresh|anew)\b|\breset\b|\bforget (?:everything|"
    r"all(?: of (?:it|that))?|it all)\b|\bclear (?:all|everything|the (?:brief|search|board))\b|"
    r"\bnew (?:search|conversation|session)$|\bbegin again\b|\bfrom the top\b|\bwipe (?:everything|it all|"
    r"the slate)\b"
)
_EXPORT = re.compile(r"\b(?:save|export|download|store)\b")
_FILE = re.compile(r"\b(?:as|to|in|into|called|named)\s+(?:a file )?(?:called |named )?([\w.-]+\.\w{2,4}|«\d+»)")
#: "save it as holiday": the format is left to whoever saves.
_BARE_NAME = re.compile(
    r"\b(?:save|export|download)\b.* (?:as|called|named) (?!(?:is|well|it|that|this|an?|the|usual|"
    r"before)\b)([a-z0-9][\w-]{1,60})$"
)
#: "save it as png" names a format, no file.
_FORMAT = re.compile(
    r"\b(?:as|to|in|into)(?: an?)?(?: \.)? ?\.?(png|jpe?g|webp|tiff?|bmp|gif)\b(?: file| format| image)?"
)
_REPEAT = re.compile(
    r"\b(?:do|apply|use|make|repeat|try)\b.*\b(?:same|this|that|these|those|it)\b.*\b(?:to|on|for|with)\b|"
    r"^(?:the )?same (?:for|to|on|with)\b|\brepeat\b.*\b(?:for|on|with)\b"
)
_NEXT = re.compile(rf"\bnext (?:({COUNT})\b|one\b|picture\b|image\b)|\b(?:following|other) ({COUNT})\b")

_ALL_OTHERS = re.compile(
    r"\b(?:all (?:of )?(?:the )?)?(?:the )?(?:others?|rest|remaining|other (?:ones|pictures|images|results))\b|"
    r"\ball of them\b|\beach of them\b|\bevery (?:other )?(?:one|picture|image)\b"
)


def _turn_named(text: str) -> int | None:
    found = _TURN_NUMBER.search(text)
    if found:
        return to_ordinal(found[2]) if found[2] else int(to_number(found[1]))
    return None


def _one_before(scene: Scene) -> Command:
    return Rollback(scene.context.turns - 1) if scene.context.turns > 1 else Undo()


def roll_back(scene: Scene) -> Reading | None:
    """Read "go back to turn 2", "I preferred the second one", "the ones before were better"."""
    text = scene.text
    if re.search(r"\b(?:keep|combine|retain)\b|\boriginal\b|\bturn (?:it|the|this)\b", text):
        return None
    back, preferred = _ROLLBACK.search(text), _PREFERRED.search(text)
    if found := _AGO.search(text):
        turn = scene.context.turns - int(to_number(found[1]))
        return read(Rollback(turn)) if turn >= 1 else read(_one_before(scene))
    if not back and not preferred:
        return None
    rest = _rest_behind(text)
    if _BEGINNING.search(text) and back:
        return read(Rollback(1), rest=rest)
    turn_named = _turn_named(
        text if not preferred or not re.search(r"\bcompared\b", text) else text.partition("prefer")[2]
    )
    if turn_named:
        return read(Rollback(turn_named), rest=rest)
    if back and (found := re.search(r"\b(?:rollback(?: to)?|back to) (?:number |#)?(\d{1,4})\b", text)):
        return read(Rollback(int(found[1])), rest=rest)
    past = preferred and re.search(
        r"\bpreferred\b|\bliked\b|\bloved\b|\bwas\b|\bwere\b|\brather\b|\bcompared\b|\bstill\b", text
    )
    ordinal = re.search(rf"\b(?:the )?({ORDINAL})\b(?! row)", re.sub(r"^.*\bprefer\b|^.*\bcompared\b[^,]*,", "", text))
    if (past or back) and ordinal and ordinal[1] not in ("last", "final"):
        return read(Rollback(to_ordinal(ordinal[1])), rest=rest)
    if (past or back) and _BEFORE.search(text) and (_RESULTS.search(text) or back):
        return read(_one_before(scene), rest=rest)
    return None


def _rest_behind(text: str) -> str:
    """What follows the step back: "..., and make it shorter", "... but in blue"."""
    said = text[max(text.rfind(word) for word in ("prefer", "rather", "back", "better", "liked", "return")) :]
    found = re.search(r"(?:,? but|,? and(?= (?:make|in|with|it|then|now|i|use|change))|,(?: and)?) (?P<rest>.+)$", said)
    return found["rest"] if found else ""


def step(scene: Scene) -> Reading | None:
    """Read "undo", "undo the last two changes", "start over", "back to the original", "save it as boat.png"."""
    text = scene.text
    if _RESET_EDITS.search(text) and (scene.in_hand or "original" in text):
        return read(Reset("edits"))
    if found := _RESET.search(text):
        return read(Reset(), rest=_new_beginning(text[found.end() :]))
    if _REDO.search(text) or (_AGAIN.fullmatch(text) and scene.last_edit is None and scene.context.turns):
        return read(Redo(_steps_said(text) or 1))
    if (found := _UNDO.search(text)) and not re.search(r"\bback to\b", text):
        said = found[1]
        return read(Undo(_steps_said(text) or (int(to_number(said)) if said else 1)))
    if _EXPORT.search(text) and not re.search(r"\bstore\b(?! (?:it|this|that))|\b(?:shop|lives?|energy|water)\b", text):
        if named := _FILE.search(text):
            return read(Export(scene.unquoted(named[1])))
        kind = _FORMAT.search(text)
        if kind is None and (bare := _BARE_NAME.search(text)):
            return read(Export(scene.as_written(bare[1])))
        return read(Export(f"picture.{kind[1].replace('jpeg', 'jpg')}") if kind else Export())
    return None


def _new_beginning(behind: str) -> str:
    """What to search for after starting over: "start over: a red car", "forget everything, I want a cat"."""
    found = re.match(
        r"(?: with|[ ,:;.-]*(?: and)?(?=[ ,:;.-]*(?:i(?:'d| )|find|show|search|look|give|get|let's))| *[:,;-])[ ,]*",
        behind,
    )
    rest = "" if found is None else behind[found.end() :].removeprefix("and ").strip(" .!")
    return "" if not rest or rest in ("please", "thanks") else f"find {rest}"  # nothing else can be meant


def _steps_said(text: str) -> int | None:
    """How many steps are meant: "the last two", "3 times", "twice"."""
    if twice := _TWICE.search(text):
        return 2 if twice[1] == "twice" else 3
    count = _UNDO_COUNT.search(text)
    return max(1, int(to_number(count[1] or count[2]))) if count else None


def repeat_on(scene: Scene) -> Reading | None:
    """Read "do the same to the next three", "apply this to #2 and #5"."""
    if not _REPEAT.search(scene.text):
        return None
    if found := _NEXT.search(scene.text):
        said = found[1] or found[2]
        return read(Repeat(int(to_number(said)) if said else 1))
    if _ALL_OTHERS.search(scene.text) and scene.context.edits and scene.context.shown > 1:
        return read(Repeat(scene.context.shown - 1))
    numbers = numbers_pointed_at(scene.text, scene)
    return read(Repeat(pictures=tuple(Shown(n) for n in numbers if n > 0))) if numbers and min(numbers) > 0 else None
