import { autocompletion, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { setDiagnostics } from "@codemirror/lint";
import { Annotation, type Extension, Prec } from "@codemirror/state";
import { EditorView, keymap, placeholder } from "@codemirror/view";
import type { JSX, RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { QueryFault } from "../../query/check-query.ts";
import type { Completion } from "../../query/completion.ts";
import { wordAt } from "./query-view.ts";

/** The properties of an editor. */
interface CodeEditorProps {
  readonly label: string;
  readonly value: string;
  readonly placeholder: string;
  readonly hint: string;
  readonly fault: Pick<QueryFault, "position" | "message"> | null;
  readonly complete: (text: string, cursor: number) => Completion;
  readonly onInput: (text: string) => void;
  readonly onRun: () => void;
  /** Gets the editor, to move its focus and cursor. */
  readonly editor: RefObject<EditorView | null>;
}

/** Marks changes that the page made, not the reader. */
const FROM_PAGE = Annotation.define<boolean>();

/**
 * Edits a text of several lines. Tab leaves it, Ctrl+Space suggests, Ctrl+Enter runs it. Its styles belong to a shadow root, where
 * they are objects: the policy of the page permits no style elements.
 */
export function CodeEditor(props: CodeEditorProps): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const { editor, value, fault } = props;
  useLayoutEffect(() => {
    if (host.current === null) return;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: "open", delegatesFocus: true });
    const view = new EditorView({ parent: root, root, doc: latest.current.value, extensions: extensionsOf(latest) });
    editor.current = view;
    return () => {
      editor.current = null;
      view.destroy();
    };
  }, []);
  useLayoutEffect(() => {
    const view = editor.current;
    if (view === null || view.state.doc.toString() === value) return;
    const changes = { from: 0, to: view.state.doc.length, insert: value };
    view.dispatch({ changes, selection: { anchor: value.length }, annotations: FROM_PAGE.of(true) });
  }, [value]);
  useLayoutEffect(() => {
    const view = editor.current;
    if (view === null) return;
    const { message = "", position = 0 } = fault ?? {};
    const text = view.state.doc.toString();
    const from = Math.min(position, text.length);
    const marked = { from, to: from + wordAt(text, from).length, message, severity: "error" } as const;
    view.dispatch(setDiagnostics(view.state, fault === null ? [] : [marked]));
  }, [fault?.position, fault?.message]);
  return (
    <div class="field">
      <span class="field-label">{props.label}</span>
      <div class="code-editor" ref={host} />
      {fault === null ? null : (
        <span class="field-error" role="alert">
          {fault.message}
        </span>
      )}
      <span class="field-hint">{props.hint}</span>
    </div>
  );
}

function extensionsOf(latest: { readonly current: CodeEditorProps }): readonly Extension[] {
  const run = (): boolean => {
    latest.current.onRun();
    return true;
  };
  const suggest = ({ state, pos }: CompletionContext): CompletionResult | null => {
    const { from, to, items } = latest.current.complete(state.doc.toString(), pos);
    const written = state.sliceDoc(from, to);
    const options = items
      .filter(({ insert }) => insert !== written)
      .map(({ label, kind, description, insert }) => {
        return { label, type: kind, detail: description ?? "", apply: insert };
      });
    return options.length === 0 ? null : { from, to, options, filter: false };
  };
  const report = EditorView.updateListener.of(({ docChanged, transactions, state }) => {
    const isOwn = transactions.some((each) => each.annotation(FROM_PAGE) === true);
    if (docChanged && !isOwn) latest.current.onInput(state.doc.toString());
  });
  return [
    history(),
    Prec.highest(
      keymap.of([
        { key: "Mod-Enter", run },
        { key: "Ctrl-Enter", run },
      ]),
    ),
    keymap.of([...defaultKeymap, ...historyKeymap]),
    autocompletion({ override: [suggest], icons: false, interactionDelay: 0, maxRenderedOptions: 200 }),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ "aria-label": latest.current.label, dir: "ltr", spellcheck: "false" }),
    placeholder(latest.current.placeholder),
    report,
    THEME,
  ];
}

/** The colours are those of the page, light and dark. */
const THEME = EditorView.theme({
  "&": { color: "var(--text)", backgroundColor: "var(--surface)", borderRadius: "var(--radius)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--font-code)", fontSize: "var(--size-13)", lineHeight: "1.6" },
  ".cm-content": {
    minHeight: "6rem",
    padding: "var(--space-8)",
    border: "1px solid var(--edge)",
    borderRadius: "var(--radius)",
    caretColor: "var(--text)",
  },
  ".cm-content:focus-visible": { outline: "2px solid var(--accent)", outlineOffset: "-1px" },
  ".cm-line": { padding: "0" },
  ".cm-placeholder": { color: "var(--dim)" },
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--error)" },
  ".cm-tooltip": {
    color: "var(--text)",
    backgroundColor: "var(--raised)",
    border: "1px solid var(--edge)",
    borderRadius: "var(--radius)",
    boxShadow: "var(--shadow)",
    maxWidth: "calc(100vw - 2rem)",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--font-code)", maxHeight: "16rem" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "var(--space-4) var(--space-8)", lineHeight: "1.4" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { color: "var(--text)", backgroundColor: "var(--accent-soft)" },
  ".cm-completionDetail": { color: "var(--dim)", fontStyle: "normal", fontFamily: "var(--font)" },
});
