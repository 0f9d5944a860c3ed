/** Connections to the apiserver that do not outlive their use. */
package io.muster.deploy.serve.connection;
