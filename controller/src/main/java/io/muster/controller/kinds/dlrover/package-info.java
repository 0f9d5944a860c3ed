/**
 * DLRover's ElasticJob and ScalePlan, run by the job engine as their users know them. The members
 * are made by DLRover's own master, which the engine manages.
 */
package io.muster.controller.kinds.dlrover;
