import type { JSX } from "preact";
import { Button } from "../../parts/button.tsx";
import { type LinkItem, LinkList } from "../../parts/link-list.tsx";
import { partsOf } from "../../query/query-parts.ts";
import { resolvePath } from "../../query/resolve-type.ts";
import type { KeptView } from "../../state/kept-views.ts";
import type { OpenSession } from "../../state/session.ts";
import { decode, hrefOf, parseFragment } from "../../state/view.ts";

/** Shows the saved and the recent views that the browser keeps, each with a button that forgets it. */
export function Kept({ session }: { readonly session: OpenSession }): JSX.Element | null {
  const { model, kept, zone } = session;
  const { saved, recent } = kept.views.value;
  const itemOf = (each: KeptView): LinkItem => {
    const view = parseFragment(each.fragment);
    const place = resolvePath(model, view.path);
    const parts = place?.isCollection === true ? partsOf(place.type, view.options, zone.value) : [];
    const note = [...(view.screen === "grid" ? [] : [view.screen]), ...parts.map(({ words }) => words)].join("; ");
    return { text: decode(each.name), href: hrefOf(view), note, onForget: () => kept.forget(each) };
  };
  return saved.length + recent.length === 0 ? null : (
    <div class="kept">
      <LinkList title="Saved views" items={saved.map(itemOf)} />
      <LinkList title="Recent views" items={recent.map(itemOf)} />
      <div class="row">
        <Button kind="quiet" onClick={() => kept.forget()}>
          Forget all views
        </Button>
        <span class="small dim">Only this browser keeps them. They contain conditions, and no rows.</span>
      </div>
    </div>
  );
}
