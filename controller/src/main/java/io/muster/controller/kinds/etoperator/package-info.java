/**
 * et-operator's TrainingJob, ScaleIn and ScaleOut, run by the job engine as their users know them.
 */
package io.muster.controller.kinds.etoperator;
