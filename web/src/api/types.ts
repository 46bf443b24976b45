/** What the server says: names for the types of schema.ts, which is generated from its OpenAPI schema. */

import type { components } from "./schema.ts";

type Models = components["schemas"];

export type Me = Models["Me"];
export type Role = Me["role"];
export type Collection = Models["CollectionModel"];
export type Reason = Models["ReasonModel"];
/** A picture on the wall: enough to lay it out before it is loaded. */
export type Tile = Models["WallPicture"];
export type Result = Models["ResultModel"];
export type Wish = Models["WishModel"];
export type WishKind = Wish["kind"];
export type Option = Models["OptionModel"];
export type Question = Models["QuestionModel"];
export type Hand = Models["HandModel"];
export type Turn = Models["TurnModel"];
export type Album = Models["AlbumModel"];
export type Place = Models["PlaceModel"];
export type Conversation = Models["ConversationModel"];
export type ConversationSummary = Models["ListedConversation"];
export type Picture = Models["PictureModel"];
export type ChoiceFacet = Models["Facet"] & { kind: "choice" };
export type NumberFacet = Models["Facet"] & { kind: "number"; min: number; max: number };
export type Facet = ChoiceFacet | NumberFacet;
export type Parameter = Models["Parameter"];
/** One row of the table of edits; `template` has a `{name}` for each parameter. */
export type Operation = Models["OperationModel"];
/** What an edit would touch; `mask` is a PNG in base64. */
export type Mask = Models["MaskModel"];
export type Folder = Models["FolderList"];
export type FolderSuggestions = Models["FolderSuggestions"];
export type Progress = Models["ProgressModel"];
export type Point = Models["PointBody"];
/** One way to read a message that is in doubt. */
export type Reading = Models["ReadingModel"];
/** Pictures side by side; each row has a text for each picture. */
export type Comparison = Models["ComparisonModel"];
/** One person looking for one picture. */
export type Study = Models["StudyModel"];
