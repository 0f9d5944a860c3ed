/** Results of replays as text, JSON and one page of HTML. */
package io.muster.simulator.report;
