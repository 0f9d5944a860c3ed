/**
 * PaddlePaddle EDL's TrainingJob, run by the job engine as its users know it: a master, parameter
 * servers and trainers, whose number follows the room there is.
 */
package io.muster.controller.kinds.paddle;
