import type { ComponentChildren, JSX } from "preact";

/** Shows a link to a URL of the data. Only URLs of the web become links; others stay text. */
export function ExternalLink({
  url,
  children,
}: {
  readonly url: string;
  readonly children?: ComponentChildren;
}): JSX.Element {
  if (!isWebUrl(url)) return <span>{children ?? url}</span>;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer">
      {children ?? url}
    </a>
  );
}

/** Returns whether a text is a URL of the web: no other scheme, such as `javascript:`, is safe to follow. */
export function isWebUrl(text: string): boolean {
  return /^https?:\/\/[^\s/]/iu.test(text) && URL.canParse(text);
}
