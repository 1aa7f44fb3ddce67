export { Viewer } from "../viewer/viewer";
export { typeset, typesetLater } from "../shared/typeset";
export { plot } from "../shared/plot";
