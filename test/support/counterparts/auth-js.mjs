// Its types bring the browser's along, which no server code of ours is to see; auth-js.d.mts says what we use.
export { Auth } from "@auth/core";
