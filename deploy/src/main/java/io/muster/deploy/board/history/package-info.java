/** What the board has shown in the last 24 h, in numbers. */
package io.muster.deploy.board.history;
