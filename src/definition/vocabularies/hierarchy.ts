/**
 * The terms and types of the vocabulary Hierarchy, in the notation of `vocabulary.ts`.
 * @see docs/reference/annotations.md
 */
export const HIERARCHY: string = `
RecursiveHierarchy=RecursiveHierarchyType
HierarchyType(){LimitedDescendantCount=.Int64 DrillState DistanceFromRoot=.Int64}
RecursiveHierarchyType(HierarchyType){ExternalKey NodeType LimitedDescendantCount=.Int64 DrillState
  DistanceFromRoot=.Int64 ChildCount=.Int64 DescendantCount=.Int64 LimitedRank=.Int64 SiblingRank=.Int64
  Matched=.Boolean MatchedDescendantCount=.Int64}
RecursiveHierarchyActions=RecursiveHierarchyActionsType
RecursiveHierarchyActionsType(){ChangeNextSiblingAction ChangeSiblingForRootsSupported=.Boolean CopyAction}
MatchCount=.Int64
TopLevelsExpandType(){NodeID Levels=.Int64}
RecursiveHierarchySupported=.Boolean
`;
