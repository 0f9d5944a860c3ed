/** ScaleIn and ScaleOut objects: read, carried out, and cleared away. */
package io.muster.controller.kinds.etoperator.scaler;
