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
 * they are objects: the policy of the page permits no style elements. `style/query.css` has its colours.
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
    // After the styles of the editor, which the view has added.
    root.adoptedStyleSheets.push(ownStyle());
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
    const others = items.filter(({ insert }) => insert !== written);
    const options = others.map(({ label, kind: type, description, insert: apply }) => {
      return { label, type, detail: description ?? "", apply };
    });
    return options.length === 0 ? null : { from, to, options, filter: false };
  };
  const report = EditorView.updateListener.of(({ docChanged, transactions, state }) => {
    const isOwn = transactions.some((each) => each.annotation(FROM_PAGE) === true);
    if (docChanged && !isOwn) latest.current.onInput(state.doc.toString());
  });
  return [
    history(),
    Prec.highest(keymap.of(["Mod-Enter", "Ctrl-Enter"].map((key) => ({ key, run })))),
    keymap.of([...defaultKeymap, ...historyKeymap]),
    autocompletion({ override: [suggest], icons: false, interactionDelay: 0, maxRenderedOptions: 200 }),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ "aria-label": latest.current.label, dir: "ltr", spellcheck: "false" }),
    placeholder(latest.current.placeholder),
    report,
  ];
}

/** Returns the rules of the page for editors, which the shadow root does not see. */
function ownStyle(): CSSStyleSheet {
  const rules = [...document.styleSheets].flatMap(({ cssRules }) => Array.from(cssRules, ({ cssText }) => cssText));
  const style = new CSSStyleSheet();
  style.replaceSync(rules.filter((text) => text.startsWith(".cm-editor")).join("\n"));
  return style;
}
