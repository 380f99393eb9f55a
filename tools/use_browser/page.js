// What is asked of a page, run inside it. Each script is a function under its name.

// text: what a reader sees, up to a length
limit => document.body ? document.body.innerText.slice(0, limit) : ''

// stays: whether the page does not say that it leaves for another one at once
() => ![...document.querySelectorAll('meta[http-equiv=refresh i]')]
  .some(meta => /^\s*[01]?(\.\d*)?\s*[;,]\s*url/i.test(meta.content))

// quiet: until nothing has changed for a moment, but not for long
() => new Promise(done => {
  const end = () => { observer.disconnect(); done(); };
  let soon = setTimeout(end, 300);
  const observer = new MutationObserver(() => { clearTimeout(soon); soon = setTimeout(end, 300); });
  observer.observe(document, {subtree: true, childList: true, characterData: true, attributes: true});
  setTimeout(end, 2000);
})

// describe: a selector, the kind and the words of each element that is shown
(elements, limit) => {
  const only = selector => { try { return document.querySelectorAll(selector).length === 1 } catch { return false } };
  const quoted = text => '"' + text.replace(/["\\]/g, '\\$&') + '"';
  const name = element => {
    const tag = element.localName;
    const ways = [];
    if (element.id) ways.push('#' + CSS.escape(element.id));
    for (const attribute of 'data-testid name aria-label placeholder href title alt value type'.split(' ')) {
      const value = element.getAttribute(attribute);
      if (value && value.length <= 100 && !/[\n\r]/.test(value)) ways.push(`${tag}[${attribute}=${quoted(value)}]`);
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
      .replace(/\s+/g, ' ').trim().slice(0, 80);
  };
  return elements.filter(shown).slice(0, limit).map(element =>
    ({selector: name(element), kind: element.localName, text: label(element)}));
}

// classes: the classes of elements as selectors
elements => [...new Set(elements.flatMap(element => [...element.classList]))]
  .map(one => ({selector: '.' + CSS.escape(one), kind: 'class', text: ''}))

// extract: the text, or an attribute, of each element
(elements, [attribute, limit, length]) => elements.slice(0, limit).map(element => {
  const value = attribute === null ? (element.innerText ?? element.textContent)
    : ['href', 'src'].includes(attribute) ? (element[attribute] ?? element.getAttribute(attribute))
    : element.getAttribute(attribute);
  return value === null || value === undefined ? null : String(value).trim().slice(0, length);
})
