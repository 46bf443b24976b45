"""Wishes in words: new searches, refinements, what to avoid, what no longer matters."""

from __future__ import annotations

import re
from dataclasses import replace

from visavis.language.commands import Avoid, Chat, Command, Forget, Keep, Like, Refine, Reset, Rollback, Search, Unlike
from visavis.language.relative import relative_changes
from visavis.language.rules.grounding import field_for, key, values_in
from visavis.language.rules.phrases import Request, unwrap
from visavis.language.rules.referring import search_text
from visavis.language.rules.scene import Reading, Scene, read

_FORGET = re.compile(
    r"^(?:please )?(?:forget|never ?mind|who cares|ignore|drop|disregard|skip)(?: about)? (?:the |my |"
    r"any )?(?P<what>[\w ]+?)(?: (?:filter|wish|part))?(?: please)?$"
    r"|^any (?P<any>\w+)(?: (?:is|will be|would be|is all))? (?:fine|ok|okay|good|do|alright)\b"
    r"|^(?:the )?(?P<matter>\w+) (?:(?:does not|doesn't) matter|(?:is not|isn't) (?:that )?important)\b|"
    r"^i don't (?:care|mind)(?: about)? (?:the |"
    r"which |what )?(?P<care>\w+)"
)
_NO = re.compile(
    r"^(?:but |and |please |with |also |there (?:should|must) be |i want |i'd like |it (?:should|"
    r"must) have |has |have )*"
    r"(?:no(?! (?:matter|idea|thanks|problem))|without|not(?: with| in| any| too many)?(?! (?:so|too|as|"
    r"really|sure|bad|what|that bad))|never|minus|except(?: for)?|exclud(?:e|ing)|avoid|hide|"
    r"nothing (?:with|in|like|that has|too)|anything (?:but|except)|i'd rather not (?:see|have)|"
    r"rather not|none with|don't (?:show|give|find|want|need|like|"
    r"include)(?: me)?(?: any(?:thing)?(?: with)?| pictures (?:of|with))?|"
    r"(?:i|we) (?:really |do )*(?:don't (?:want|like|need)|hate|dislike|can't stand)(?: (?:to see|"
    r"any(?:thing)?(?: with)?))?|"
    r"(?:remove|get rid of|take out|leave out|drop|omit|delete|kick out|filter out)(?: (?:all|"
    r"every(?:thing|one)?|any(?:thing)?|the))*(?: (?:with|that has))?|"
    r"i (?:don't|do not) want|stop showing(?: me)?|less of) "
    r"(?P<what>.+)$"
)
_WITHOUT = re.compile(
    r"^(?P<wish>.+?)(?<! a)(?:,? (?:that|which))?(?:,? (?:has|have|had))?(?:,? (?:but|and))?,? "
    r"(?:without(?: an?| the| any)?|with no|but no|and no|no|but not|"
    r"not in|(?<=, )not|except(?: for)?) (?P<avoid>(?!one\b|longer\b)[\w' -]+)$"
)
_WISH_FRAME = re.compile(
    r"^(?:(?:but|and|also|or|maybe|perhaps|preferably|ideally|just|only|something|someone|anything|one|"
    r"ones|make (?:it|them|that|(?=the \w+ \w+er\b)the)|make (?=the \w+)|turn (?:it|them)|change it to|"
    r"do you have (?:it|them|that)|"
    r"have you got (?:it|them)|"
    r"(?:it|they|this|that|he|she)(?:'s|'re)?|(?:the )?(?:dress|shirt|picture|image|photo|person|thing|top|shoes?|bag|"
    r"colou?r)(?= (?:should|must|has|have|is|are|can|could|needs?|with|in)\b)|the one|should|must|has to|"
    r"have to|had|be|is|are|was|were|has|have|having|having got|comes?|with|that's|which is|that is|"
    r"there(?:'s| is| are| should be| must be)?|can|could|would|will|may|might|get|like|look(?:s|ing)?|"
    r"same|similar|what about|how about|i'd like|i'd prefer|i prefer|i want|i need|i'd rather have|"
    r"rather have|i'd|rather|prefer|want|need|"
    r"in the same style|a (?=\w+er\b(?! one of)))\b[ ,]*)+"
)
_PRONOUN_TAIL = re.compile(
    r"\s+(?:ones?|maybe|perhaps|version|variant|alternative|instead|please|pls|thanks|then|though|too|as well|now|"
    r"if possible|for (?:it|me)|this time)$"
)
_REFINES = re.compile(
    r"^(?:ones?|it|them|this|that|same|similar)\b|\b(?:ones?|it|them|version)$|\b(?:something|"
    r"anything) \w+(?:er|ful|al|ish)\b"
)
_NEW_TOPIC = re.compile(
    r"\b(?:instead|also looking|now (?:search|find|look|show))\b|^(?:new search|"
    r"(?:try )?(?:an? )?(?:completely |totally )?(?:different|new) (?:thing|topic|subject|idea)|"
    r".{0,20}something else)\b"
)
_PREPOSITION = re.compile(
    r"^(?:in|with|at|on|for|under|by|near|behind|inside|outside|during|from|next to|without|over|of)\b"
)
#: A longer description may well name a second kind of things: "with a matching bag over the shoulder".
_FEW_WORDS = 3
_REMARK = re.compile(
    r"^(?:it|this|that|the (?:image|picture|photo))(?:'s| is| looks?)(?: \w+){0,2} (?:too|so|very|a bit|"
    r"slightly|not) \w+$"
)
_PRONOUN = re.compile(r"(?:the )?(?:same|it|one|ones|them|some|those|that|me|similar|an|similar one)(?: with me)?")
_ANTECEDENT = re.compile(
    r"(?:.*\b(?:images? of|pictures? of|photos? of|of|for|having|going to|to (?:eat|buy|adopt|have|see|"
    r"get|use|play|visit|go for|go to|wear|travel in)|love(?: playing)?|like(?: playing)?|buying|by|on|"
    r"need|want|will use|travel in|some|an?|the)\b) (?P<what>(?:an? |the |some )?[\w' -]+?)(?: (?:today|"
    r"image|images|picture|for my \w+|for a \w+|too|so much|with wife|as well))*$"
)
#: "I like that plant which stands on the table."
_POINTED_AT = re.compile(
    r"\b(?:like|love|want|need|look at|see|interested in) (?:that|this|those|these|the) "
    r"(?P<what>(?!one\b|object|thing|colou?r|item)[\w -]+?)"
    r" (?:which|that|who|kept|placed|seen|worn|lying|standing|sitting|in|on|at|near|behind|beside)\b"
)
_TOO = re.compile(
    r"^(?:(?:it|that|this|they|these|the \w+)(?:'s| is| are| looks?)? )?(?:a bit |way |far |much |"
    r"just )?too (?P<quality>\w+)(?: for \w+)?$"
)


def forget(scene: Scene) -> Reading | None:
    """Read "forget about the price", "any colour is fine", "the material doesn't matter"."""
    found = _FORGET.match(scene.text)
    if not found:
        return None
    what = next(group for group in found.groups() if group)
    if what in ("it", "that", "this", "everything", "all", "them"):
        return None
    if scene.context.turns == 0:  # nothing was wished for that could be dropped
        indifferent = found["any"] or found["matter"] or found["care"]
        return read(Chat("agreement")) if indifferent and not scene.before else None
    return read(Forget(what))


def avoid(scene: Scene) -> Reading | None:
    """Read "no people please", "without a logo", "I don't want stripes", "anything but black"."""
    text = scene.text.strip(" .!?,")
    text = re.sub(r"^(?:(?:please|but|and|so|ok|okay|yes|now|also|maybe|no,)[ ,]+)+(?=\S)", "", text)
    found = _NO.match(text)
    if not found:
        return None
    parts = re.split(r",? (?:and|or|nor)(?: also)? (?:no|without|not|any)?\b ?|, (?:no|without|not) ", found["what"])
    things = [_avoided(part) for part in parts]
    commands = tuple(Avoid(thing) for thing in things if thing)
    return read(*commands) if commands else None


def _avoided(text: str) -> str:
    text = re.sub(
        r"\b(?:please|pls|thanks|at all|anymore|any more|in (?:it|them|the (?:picture|image)s?))\b", " ", text
    )
    return re.sub(r"^(?:an? |any |the (?=\w+s?$)|some |too |with |in |more )+", "", " ".join(text.split())).strip(
        " ,.?!"
    )


def wish(scene: Scene) -> Reading | None:
    """Whatever is wanted: a new search when it is asked for or nothing was searched yet, else a refinement."""
    request = unwrap(scene.text)
    if _REMARK.match(scene.text):
        return read(*_refinement(request.text), confidence=0.3)
    if re.fullmatch(r"(?:the )?(?:same|similar)(?: (?:one|thing|but))?", request.text) and scene.context.turns:
        return Reading(())
    if not request.text or not re.search(r"[^\W_]", request.text):
        return None
    found = _WITHOUT.match(request.text)
    if found and not re.search(r"\b(?:match|colou?r of|same)\b", request.text):
        negative = Avoid(_avoided(found["avoid"]) or found["avoid"])
        positive = _wish(Request(found["wish"], request.searches, request.pictures), scene)
        return Reading((*positive.commands, negative), positive.confidence)
    return _wish(request, scene)


def _wish(request: Request, scene: Scene) -> Reading:
    request = _without_pronoun(request, scene)
    text, confidence = search_text(request.text, scene)
    if text != request.text or _is_new(request, scene):
        text = re.sub(r"^(?:only|just|but|and|also) ", "", text)
        return read(Search(unwrap(text).text or text), confidence=min(confidence, _sureness(request)))
    return read(*_refinement(request.text), confidence=0.7)


def _without_pronoun(request: Request, scene: Scene) -> Request:
    """Read "I want to adopt a parrot. Find me an image of it." asks for a parrot."""
    if not request.searches or not _PRONOUN.fullmatch(request.text):
        return request
    before = scene.earlier.strip(" ,.!?").rpartition(". ")[2]
    found = _POINTED_AT.search(before) or _ANTECEDENT.search(before)
    if not found:
        return request
    return replace(request, text=unwrap(found["what"]).text.removesuffix("'s"))


def _sureness(request: Request) -> float:
    """How sure it is that a search is meant: "find me" says it, "I love" may be a remark, a bare noun may be both."""
    return 0.9 if request.plainly else 0.72 if request.searches or request.pictures else 0.6


def _is_new(request: Request, scene: Scene) -> bool:
    # "like #4 but blue" speaks of results, even where nobody told which there were
    started = any(isinstance(c, Search | Like | Unlike | Keep | Rollback) for c in scene.before)
    if not started and (scene.context.turns == 0 or any(isinstance(c, Reset) for c in scene.before)):
        return True
    if _NEW_TOPIC.search(scene.text) and (request.searches or request.pictures or ":" in scene.text):
        return True
    if not (request.searches or request.pictures):
        return _names_another_kind(request.text, scene)
    if _REFINES.search(request.text) or _PREPOSITION.match(request.text):
        return bool(request.pictures and not _PREPOSITION.match(request.text))
    return not relative_changes(request.text) or request.pictures


def _names_another_kind(text: str, scene: Scene) -> bool:
    """Whether a kind of things is named, and so far it was another: "red bags" after "a summer dress"."""
    if _PREPOSITION.match(text) or len(text.split()) > _FEW_WORDS:
        return False
    kinds = [field_for("category", scene.context.attributes)] if scene.context.attributes else []
    kinds += [name for name in scene.context.attributes if "category" in name.lower() and name not in kinds]
    attributes = {name: scene.context.attributes[name] for name in kinds if name}
    named = values_in(text, attributes)
    if not named or not key(text).endswith(key(named[-1].value)):
        return False
    before = {key(value.value) for value in values_in(scene.context.topic, attributes)}
    return bool(before) and key(named[-1].value) not in before


def _refinement(text: str) -> tuple[Command, ...]:
    if found := _TOO.match(text):
        return (Refine(f"less {found['quality']}"),)
    kept = text
    framed = _WISH_FRAME.sub("", text).strip(" ,.")
    if framed:
        text = framed
    previous = None
    while previous != text:
        previous = text
        text = _PRONOUN_TAIL.sub("", text) or text
    # "with a hood" reads better than "a hood"; "with longer sleeves" compares and needs no "with".
    if re.search(rf"\bwith (?:an? )?{re.escape(text)}", kept) and not relative_changes(text):
        return (Refine(kept[kept.index("with ") :]),)
    return (Refine(re.sub(r"^(?:an? (?!bit|little|lot)|the )(?=\S)", "", text) or text),)
