/** What a TrainingJob states, and its pods. */
package io.muster.controller.kinds.etoperator.job;
