/** The parts of a browser that decide; other programs lack them. */
interface PageGlobals {
  readonly document?: { readonly documentElement: { readonly lang: string } };
  readonly navigator?: { readonly languages?: readonly string[] };
}

/** Returns the locale of dates and numbers: that of the reader if it is of the language of the page, which its `lang` states. */
export function pageLocale({ document, navigator }: PageGlobals = globalThis): string {
  const language = document?.documentElement.lang ?? "en";
  const isSame = (locale: string): boolean => locale.split("-", 1)[0] === language.split("-", 1)[0];
  return navigator?.languages?.find(isSame) ?? language;
}
