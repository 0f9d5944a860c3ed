/** The pods of an ElasticJob and the Service of its master. */
package io.muster.controller.kinds.dlrover.pod;
