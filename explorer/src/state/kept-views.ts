import { type Signal, signal } from "@preact/signals";
import { itemsIn, textIn } from "../client/json-members.ts";
import type { Credential } from "../client/sign-in.ts";
import { hrefOf, type View, withOptions } from "./view.ts";

/** A view that the browser keeps: its fragment, and the name that the reader gave, or that of its place. */
export interface KeptView {
  readonly name: string;
  readonly fragment: string;
}

interface Kept {
  readonly recent: readonly KeptView[];
  readonly saved: readonly KeptView[];
}

const [MOST_RECENT, MOST_SAVED, MOST_NAME] = [12, 50, 200];

/**
 * The recent and the saved views of a service and a user, which the browser keeps. Only names and fragments are kept, never
 * data. Where the browser keeps nothing, or something else, the page works without.
 */
export class KeptViews {
  readonly views = signal<Kept>({ recent: [], saved: [] });
  readonly #key: () => string | null;

  /** @param credential that of the user; null where nobody has signed in */
  constructor(root: string, credential: Signal<Credential | null>) {
    this.#key = () => {
      const user = credential.peek();
      // Views of somebody unknown would be those of everybody.
      return user?.id === null ? null : `odatakit explorer ${root} ${user?.id ?? ""}`;
    };
    const read = (): void => {
      this.views.value = this.#read();
    };
    credential.subscribe(read);
    // Another window has changed the views.
    addEventListener("storage", read);
  }

  /** Puts a view before the recent ones. The last view of a path and screen is kept. */
  visit(view: View): void {
    if (!/^(?:grid|query|chart|record)$/u.test(view.screen) || view.path === "") return;
    const kept = keptOf(view.path, view);
    const place = ({ fragment }: KeptView): string => fragment.replace(/\?.*$/su, "");
    const { recent, saved } = this.#read();
    const others = recent.filter((each) => place(each) !== place(kept));
    this.#keep({ recent: [kept, ...others].slice(0, MOST_RECENT), saved });
  }

  /** Saves a view under a name, in place of one with the same name. @returns whether the browser keeps it */
  save(name: string, view: View): boolean {
    const { recent, saved } = this.#read();
    const others = saved.filter((each) => each.name !== name);
    return others.length < MOST_SAVED && this.#keep({ recent, saved: [keptOf(name, view), ...others] });
  }

  /** Forgets a view; without one, all views of this service and user. */
  forget(view?: KeptView): void {
    const { recent, saved } = this.#read();
    const isOther = (each: KeptView): boolean =>
      view !== undefined && (each.name !== view.name || each.fragment !== view.fragment);
    this.#keep({ recent: recent.filter(isOther), saved: saved.filter(isOther) });
  }

  /** Returns what the browser has: a user or another page may have written anything there. */
  #read(): Kept {
    try {
      const key = this.#key();
      const kept: unknown = key === null ? null : JSON.parse(localStorage.getItem(key) ?? "null");
      return { recent: viewsIn(kept, "recent", MOST_RECENT), saved: viewsIn(kept, "saved", MOST_SAVED) };
    } catch {
      return { recent: [], saved: [] };
    }
  }

  #keep(kept: Kept): boolean {
    const key = this.#key();
    if (key === null) return false;
    try {
      if (kept.recent.length + kept.saved.length === 0) localStorage.removeItem(key);
      else localStorage.setItem(key, JSON.stringify(kept));
      this.views.value = kept;
      return true;
    } catch {
      // The storage is full, or the browser forbids it.
      return false;
    }
  }
}

/** The first row and a text that has not run are no part of a kept view. */
function keptOf(name: string, view: View): KeptView {
  return { name: name.slice(0, MOST_NAME), fragment: hrefOf(withOptions(view, { row: null, draft: null })) };
}

function viewsIn(kept: unknown, list: keyof Kept, most: number): readonly KeptView[] {
  const views = itemsIn(kept, list).map((item) => ({
    name: textIn(item, "name") ?? "",
    fragment: textIn(item, "fragment") ?? "",
  }));
  return views.filter((each) => each.fragment.startsWith("#/")).slice(0, most);
}
