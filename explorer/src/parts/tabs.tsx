import type { JSX } from "preact";

/** One tab: a link to another view of the same thing. */
export interface TabLink {
  readonly label: string;
  readonly href: string;
  readonly isCurrent: boolean;
}

/** Shows links to views of one thing. Each view has a URL, so that these are links and no tabs of ARIA. */
export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly TabLink[] }): JSX.Element {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <a key={tab.label} class="tab" href={tab.href} aria-current={tab.isCurrent ? "page" : undefined}>
          {tab.label}
        </a>
      ))}
    </nav>
  );
}
