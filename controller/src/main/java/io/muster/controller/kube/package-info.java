/** What all job kinds read of the cluster beside their own objects. */
package io.muster.controller.kube;
