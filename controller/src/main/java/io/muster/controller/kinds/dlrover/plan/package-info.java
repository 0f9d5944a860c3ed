/** ScalePlans: read, carried out, and made when an ElasticJob grows back. */
package io.muster.controller.kinds.dlrover.plan;
