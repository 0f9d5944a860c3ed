/** The pods of one gang: which of them live, have started, are told to end or came past Muster. */
package io.muster.extender.core.decision.member;
