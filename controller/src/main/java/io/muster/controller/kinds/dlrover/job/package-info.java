/** What an ElasticJob states, and the objects that are of it. */
package io.muster.controller.kinds.dlrover.job;
