import type { JSX } from "preact";
import { pathSegments } from "../state/path-segments.ts";
import type { ScreenProps } from "../state/session.ts";
import { type View, hrefOf, viewOf } from "../state/view.ts";

/** Shows where the reader is: a link for each part of the resource path. */
export function Breadcrumb({ view }: ScreenProps): JSX.Element {
  const crumbs = view.screen === "operation" ? [{ label: view.path, target: view }] : crumbsOf(view.path);
  return (
    <nav class="crumbs" aria-label="Path">
      <ol>
        <li>
          <a href={hrefOf(viewOf("home"))}>Home</a>
        </li>
        {crumbs.map(({ label, target }, index) => (
          <li key={index}>
            {index === crumbs.length - 1 ? (
              <span aria-current="page">{label}</span>
            ) : (
              <a href={hrefOf(target)}>{label}</a>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}

interface Crumb {
  readonly label: string;
  readonly target: View;
}

/** `Orders(1)/Items` is the set `Orders`, its record `(1)`, and the items of that. */
function crumbsOf(path: string): readonly Crumb[] {
  const segments = pathSegments(path);
  return segments.flatMap((segment, index) => {
    const before = segments
      .slice(0, index)
      .map((each) => `${each}/`)
      .join("");
    const [, name = segment, key] = /^([^(]*)(\(.*\))?$/su.exec(segment) ?? [];
    const collection = { label: name, target: viewOf("grid", before + name) };
    return key === undefined ? [collection] : [collection, { label: key, target: viewOf("record", before + segment) }];
  });
}
