/**
 * Writes the link to a view of the page. It contains no credentials, since these stay in memory.
 * @param page the URL of the page, with any fragment
 * @param href the fragment of the view, as `hrefOf` writes it
 */
export function copyAsLink(page: string, href: string): string {
  return page.replace(/#.*$/su, "") + href;
}
