/**
 * Escapes a text for the content of an HTML element, or for an attribute in quotes.
 * @see WHATWG HTML, section 13.1.4
 */
export function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}
