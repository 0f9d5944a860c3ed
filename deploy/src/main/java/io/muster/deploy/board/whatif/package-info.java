/** Asks what would become of pods that nobody has made; nothing is created. */
package io.muster.deploy.board.whatif;
