/**
 * The middle of the first element that `selector` matches, in the document or in
 * an open shadow root, after scrolling it into view.
 */
export async function locate(browser, selector) {
  const place = await browser.evaluate((wanted) => {
    const search = (root) => {
      const found = root.querySelector(wanted);
      if (found) return found;
      for (const element of root.querySelectorAll('*')) {
        const deeper = element.shadowRoot && search(element.shadowRoot);
        if (deeper) return deeper;
      }
      return null;
    };
    const element = search(document);
    if (!element) return null;
    element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
    const { left, top, width, height } = element.getBoundingClientRect();
    return { x: left + width / 2, y: top + height / 2, visible: width > 0 && height > 0 };
  }, selector);
  if (!place) throw new Error(`${browser.name}: nothing on the page matches ${selector}`);
  if (!place.visible) throw new Error(`${browser.name}: ${selector} can't be seen`);
  return { x: Math.round(place.x), y: Math.round(place.y) };
}
