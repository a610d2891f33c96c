import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";

/** Returns a URL of content that the page has, as long as it is shown. */
export function useUrlOf(content: Blob): string {
  const url = useMemo(() => URL.createObjectURL(content), [content]);
  useEffect(() => () => URL.revokeObjectURL(url), [url]);
  return url;
}

/** Shows content as a picture. */
export function BlobPicture({ name, content }: { readonly name: string; readonly content: Blob }): JSX.Element {
  return <img src={useUrlOf(content)} alt={`Picture of ${name}`} />;
}
