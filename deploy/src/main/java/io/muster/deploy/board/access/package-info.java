/**
 * Who may look at the board that runs in a cluster, and what each of them sees: what the API server
 * says of their tokens and of their rights, asked within fixed rates and remembered for a minute.
 */
package io.muster.deploy.board.access;
