/** Serves the board to browsers: who is let in, the files of the page, and what it asks for. */
package io.muster.deploy.board.http;
