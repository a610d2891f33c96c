/** The parts of the layout that the page uses: the declarations of the package lack the file extensions that `nodenext` needs. */

export class Graph {
  constructor(options: { readonly multigraph: boolean });
  setGraph(options: Readonly<Record<string, string | number>>): this;
  /** Returns the options, and after `layout` the size. */
  graph(): { readonly width?: number; readonly height?: number };
  setNode(id: string, size: { readonly width: number; readonly height: number }): this;
  setEdge(from: string, to: string, label: object, name: string): this;
  nodes(): readonly string[];
  node(id: string): { readonly x: number; readonly y: number };
  edge(
    from: string,
    to: string,
    name: string,
  ): { readonly points: readonly { readonly x: number; readonly y: number }[] };
}

/** Writes the places of nodes and the points of edges into a graph. */
export function layout(graph: Graph): void;
