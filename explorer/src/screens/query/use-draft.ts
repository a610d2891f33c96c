import { useEffect, useRef, useState } from "preact/hooks";
import type { ScreenProps } from "../../state/session.ts";
import { resourceUrl, type View } from "../../state/view.ts";
import { faultIn, textOf, withText } from "./query-view.ts";

/** A query that was sent. */
export interface SentQuery {
  readonly text: string;
  readonly view: View;
  readonly url: string;
  /** How often a query was sent. */
  readonly round: number;
}

/** The query that is being written. */
export interface Draft {
  readonly text: string;
  /** The view that the text means. */
  readonly view: View;
  /** Whether the URL of the page has the text, which it gets when the writer pauses. */
  readonly isSettled: boolean;
  /** Null before the first one. */
  readonly sent: SentQuery | null;
  readonly change: (text: string) => void;
  readonly settle: () => void;
  readonly send: () => void;
}

/** Browsers limit how often a page changes its URL. */
const PAUSE_MILLISECONDS = 400;

/** Keeps a text as its writer has it, and the view of the page as the text means. The query of a new view is sent. */
export function useDraft({ session, view }: ScreenProps): Draft {
  const { root } = session.client;
  const [edited, setEdited] = useState<{ readonly text: string; readonly over: View } | null>(null);
  const [sent, setSent] = useState<SentQuery | null>(null);
  const own = useRef<View | null>(null);
  const isEdited = edited !== null && (edited.over === view || isSame(withText(view, edited.text, root), view));
  const text = isEdited ? edited.text : textOf(view);
  const meant = withText(view, text, root);
  const isSettled = isSame(meant, view);
  const settle = (): void => {
    if (isSettled) return;
    own.current = meant;
    // A query that was sent stays in the history.
    session.go(meant, { replace: resourceUrl(view) !== sent?.url });
  };
  const send = (): void => {
    settle();
    setSent((last) => ({ text, view: meant, url: resourceUrl(meant), round: (last?.round ?? 0) + 1 }));
  };
  useEffect(() => {
    if (own.current === view) return;
    own.current = view;
    if (faultIn(text, root) === null) send();
  }, [view]);
  useEffect(() => {
    const timer = setTimeout(settle, PAUSE_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [text, view]);
  const change = (next: string): void => setEdited({ text: next, over: view });
  return { text, view: meant, isSettled, sent, change, settle, send };
}

function isSame(a: View, b: View): boolean {
  return resourceUrl(a) === resourceUrl(b);
}
