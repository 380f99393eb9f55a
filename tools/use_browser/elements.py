"""The elements of a page: what can be used, what a selector means, and what a wrong one may have meant."""

import re

from switchyard.language.messages import message
from switchyard.tools.core.errors import RetryTool
from switchyard.tools.use_browser.driver import playwright

MAX_ELEMENTS = 60
"""Elements that are listed."""

APPEAR_MS = 3_000
"""How long an element that is not there is waited for."""

_COMPARED = 1500
_NEAREST = 5
_WORD = re.compile(r"[^\W_]+")

_USABLE = "a[href], button, input, select, textarea, summary, [role=button], [role=link], [contenteditable]"
_NAMED = f"{_USABLE}, [id], [class], [name], [data-testid], h1, h2, h3, table, form, main, article"

_DESCRIBE = """(elements, limit) => {
  const only = selector => { try { return document.querySelectorAll(selector).length === 1 } catch { return false } };
  const quoted = text => '"' + text.replace(/["\\\\]/g, '\\\\$&') + '"';
  const name = element => {
    const tag = element.localName;
    const ways = [];
    if (element.id) ways.push('#' + CSS.escape(element.id));
    for (const attribute of 'data-testid name aria-label placeholder href title alt value type'.split(' ')) {
      const value = element.getAttribute(attribute);
      if (value && value.length <= 100 && !/[\\n\\r]/.test(value)) ways.push(`${tag}[${attribute}=${quoted(value)}]`);
    }
    const classes = [...element.classList].slice(0, 3).map(one => '.' + CSS.escape(one));
    if (classes.length) ways.push(tag + classes.join(''));
    ways.push(tag);
    const found = ways.find(only);
    if (found) return found;
    const parent = element.parentElement;
    if (!parent) return tag;
    const same = [...parent.children].filter(child => child.localName === tag);
    return `${name(parent)} > ${tag}` + (same.length > 1 ? `:nth-of-type(${same.indexOf(element) + 1})` : '');
  };
  const shown = element => {
    const box = element.getBoundingClientRect();
    return box.width > 0 && box.height > 0 && getComputedStyle(element).visibility !== 'hidden';
  };
  const label = element => {
    const said = element.labels && element.labels.length ? element.labels[0].innerText : '';
    const text = element.matches('input, select, textarea') ? said : element.innerText;
    return (text || element.getAttribute('aria-label') || element.placeholder || element.value || '')
      .replace(/\\s+/g, ' ').trim().slice(0, 80);
  };
  return elements.filter(shown).slice(0, limit).map(element =>
    ({selector: name(element), kind: element.localName, text: label(element)}));
}"""

_CLASSES = """elements => [...new Set(elements.flatMap(element => [...element.classList]))]
  .map(one => ({selector: '.' + CSS.escape(one), kind: 'class', text: ''}))"""

Element = dict[str, str]
"""Selector, kind and text."""


async def elements_of(page: "playwright.Page") -> list[Element]:
    """What can be clicked or filled in."""
    return await _described(page.locator(_USABLE), MAX_ELEMENTS)


async def found(page: "playwright.Page", selector: str) -> "playwright.Locator":
    """The elements a selector means, at least one.

    Raises:
        RetryTool: with the nearest selectors of the page, when there is none or the selector cannot be read.
    """
    elements = page.locator(selector)
    try:
        await elements.first.wait_for(state="attached", timeout=APPEAR_MS)
    except playwright.TimeoutError as error:
        raise RetryTool(
            message("nothing_on_page_fits", selector=selector), hint=await nearest(page, selector)
        ) from error
    except playwright.Error as error:
        if page.is_closed():
            raise
        raise RetryTool(message("is_no_css_selector", selector=selector), hint=await nearest(page, selector)) from error
    return elements


async def the_one(page: "playwright.Page", selector: str) -> "playwright.Locator":
    """The one element a selector means.

    Raises:
        RetryTool: when there is none, or there are several and it is not known which is meant.
    """
    elements = await found(page, selector)
    visible = elements.filter(visible=True)
    count = await visible.count()
    if count > 1:
        hint = message("choose_element", elements=_listed(await _described(visible, _NEAREST)))
        raise RetryTool(message("several_elements_fit", count=count, selector=selector), hint=hint)
    return visible if count else elements.first


async def nearest(page: "playwright.Page", selector: str) -> str:
    """A sentence with the selectors of the page that look most like the one that failed."""
    from rapidfuzz import fuzz  # noqa: PLC0415  only mistakes need it

    elements = page.locator(_NAMED)
    known = [*await _described(elements, _COMPARED), *await elements.evaluate_all(_CLASSES)]
    words = _words(selector)

    def likeness(element: Element) -> float:
        about = _words(f"{element['selector']} {element['text']}")
        return fuzz.ratio(selector, element["selector"]) + fuzz.token_set_ratio(words, about)

    others = [element for element in known if element["selector"] != selector]
    best = sorted(others, key=likeness, reverse=True)[:_NEAREST]
    return message("nearest_elements", elements=_listed(best)) if best else message("no_other_element")


async def _described(elements: "playwright.Locator", limit: int) -> list[Element]:
    return await elements.evaluate_all(_DESCRIBE, limit)


def _listed(elements: list[Element]) -> str:
    return "; ".join(f"{one['selector']} ({one['text'][:40]})" if one["text"] else one["selector"] for one in elements)


def _words(text: str) -> str:
    return " ".join(_WORD.findall(text)).casefold()
